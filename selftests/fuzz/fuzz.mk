# SPDX-License-Identifier: GPL-2.0-only
#
# libFuzzer: programs in build/fuzz, from the sources, with sanitizers. Included by
# tests.mk.
#
# What fuzzing finds goes to build/fuzz/NAME/new, not to the corpora in the tree:
# fuzz-corpus makes these, of what the tests' own generators make, as many as it takes to go
# where all of it goes. selftests/fuzz/NAME/found, of what has failed once, stays.

FUZZ_CC	   := clang
FUZZ	   := $(BUILD)/fuzz
FUZZ_NAMES := elf buildid stream merge events options filter commands control ctl
FUZZ_TARGETS ?= $(FUZZ_NAMES)
FUZZ_PROGRAMS := $(foreach name,$(FUZZ_NAMES),$(FUZZ)/$(name)/fuzz_$(name))
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer $(SANITIZE)
T	   ?= 60

# The folders whose code reads what others write; each program takes what it needs from the archive.
FUZZ_DIRS := base stream auxstream pmu event trigger history snapfile service cli check extract info merge
FUZZ_TOOL := $(wildcard $(FUZZ_DIRS:%=tool/%/*.c)) $(addprefix tool/session/,buildid.c raw_size.c)

.PHONY: fuzz fuzz-corpus fuzz-programs

$(BUILD)/.host-fuzz: selftests/setup/host
	@mkdir -p $(BUILD)
	@$(SETUP)/host fuzz
	@touch $@

$(FUZZ)/obj/%.o: %.c Makefile selftests/fuzz/fuzz.mk | $(BUILD)/.host-fuzz $(BUILD)/.host-tool
	@mkdir -p $(@D)
	$(QUIET_CC)$(FUZZ_CC) $(USER_FLAGS) -Wno-gnu -Imodule $(CPPFLAGS) $(FUZZ_FLAGS) \
		-fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

$(FUZZ)/auxrec.a: $(FUZZ_TOOL:%.c=$(FUZZ)/obj/%.o) $(addprefix $(FUZZ)/obj/,module/ids/elf_id.o \
		module/event/aux_pmus.o selftests/fuzz/note.o selftests/fuzz/scratch.o selftests/tool/events/tree.o)
	@rm -f $@
	$(QUIET_AR)ar rcs $@ $^

define FUZZ_RULE
$(FUZZ)/$(1)/fuzz_$(1): $(FUZZ)/obj/selftests/fuzz/$(1)/fuzz_$(1).o $(FUZZ)/auxrec.a
	@mkdir -p $$(@D)
	$$(QUIET_LD)$$(FUZZ_CC) $$(FUZZ_FLAGS) -fsanitize=fuzzer $$(FUZZ_WRAP) -o $$@ $$^ -lzstd -lelf -lz -pthread
endef
$(foreach name,$(FUZZ_NAMES),$(eval $(call FUZZ_RULE,$(name))))

# Records in memory of their size
$(FUZZ)/stream/fuzz_stream $(FUZZ)/merge/fuzz_merge: FUZZ_WRAP = -Wl,--wrap=read_next,--wrap=read_close
$(FUZZ)/stream/fuzz_stream $(FUZZ)/merge/fuzz_merge: $(FUZZ)/obj/selftests/fuzz/exact.o

# The generators of corpora; the other ones are scripts.
$(FUZZ)/merge/seeds: $(addprefix $(BUILD)/selftests/,fuzz/merge/seeds.o tool/merge/world.o \
		tool/merge/world_write.o tool/state/history.o) \
		$(TOOL_LINK)
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

# What makes corpora, too: nobody would see for long that it does not build.
fuzz-programs: $(FUZZ_PROGRAMS) $(FUZZ)/merge/seeds

fuzz: $(foreach name,$(FUZZ_TARGETS),$(FUZZ)/$(name)/fuzz_$(name))
	@selftests/fuzz/run for $(T) $(FUZZ_TARGETS)

fuzz-corpus: $(foreach name,$(FUZZ_TARGETS),$(FUZZ)/$(name)/fuzz_$(name)) \
		$(TESTS)/elf/test_elf_id $(FUZZ)/merge/seeds
	@selftests/fuzz/run corpus $(FUZZ_TARGETS)

-include $(shell find $(FUZZ)/obj -name '*.d' 2>/dev/null)
-include $(wildcard $(BUILD)/selftests/fuzz/*/*.d)
