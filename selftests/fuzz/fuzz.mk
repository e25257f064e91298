# SPDX-License-Identifier: GPL-2.0-only
#
# Build the libFuzzer targets in build/fuzz, from the sources, with sanitizers. tests.mk
# includes this file.
#
# New inputs that fuzzing finds go to build/fuzz/NAME/new, not to the corpora in the tree.
# fuzz-corpus makes the corpora from the output of the tests' own generators: it keeps as few of
# these inputs as cover the same code. It does not change selftests/fuzz/NAME/found, which
# contains inputs that have failed once.

FUZZ_CC	   := clang
FUZZ	   := $(BUILD)/fuzz
FUZZ_NAMES := elf buildid stream perfdata merge events options filter commands control ctl recover view
FUZZ_TARGETS ?= $(FUZZ_NAMES)
FUZZ_PROGRAMS := $(foreach name,$(FUZZ_NAMES),$(FUZZ)/$(name)/fuzz_$(name))
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer $(SANITIZE)
T	   ?= 60

# All folders of auxrec. The linker takes what a target needs from the archive.
FUZZ_TOOL := $(foreach dir,$(TOOL_DIRS),$(wildcard tool/$(dir)/*.c))

# auxview, with its libraries
FUZZ_VIEW := $(filter-out tool/view/main.c,$(VIEW_SRCS)) $(addprefix selftests/fuzz/view/,told.c)

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
	$$(QUIET_LD)$$(FUZZ_CC) $$(FUZZ_FLAGS) -fsanitize=fuzzer $$(FUZZ_WRAP) -o $$@ $$^ $(TOOL_SYS) -lzstd -lelf -lz -pthread
endef
$(foreach name,$(filter-out view,$(FUZZ_NAMES)),$(eval $(call FUZZ_RULE,$(name))))

# These targets put each record in memory of exactly its size (exact.c).
FUZZ_EXACT := $(foreach name,stream perfdata merge,$(FUZZ)/$(name)/fuzz_$(name))
$(FUZZ_EXACT): FUZZ_WRAP = -Wl,--wrap=read_next,--wrap=read_close
$(FUZZ_EXACT): $(FUZZ)/obj/selftests/fuzz/exact.o

$(FUZZ)/recover/fuzz_recover: $(FUZZ)/obj/selftests/tool/recover/make_region.o

$(FUZZ)/recover/seeds: $(BUILD)/selftests/fuzz/recover/seeds.o
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^

# The generators recover/seeds, merge/seeds and test_elf_id are programs. The others are scripts.
$(FUZZ)/merge/seeds: $(addprefix $(BUILD)/selftests/,fuzz/merge/seeds.o tool/merge/world.o \
		tool/merge/world_write.o tool/state/history.o) \
		$(TOOL_LINK)
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(FUZZ)/obj/tool/view/%.o $(FUZZ)/obj/selftests/fuzz/view/%.o: CPPFLAGS += $(VIEW_FLAGS)
# Endless loops end earlier, because mutations make many of them.
$(FUZZ)/obj/tool/view/decode/run.o: CPPFLAGS += -DBLOCKS_MAX=2000

$(FUZZ)/view.a: $(FUZZ_VIEW:%.c=$(FUZZ)/obj/%.o)
	@rm -f $@
	$(QUIET_AR)ar rcs $@ $^

# The program that the traces are of
$(FUZZ)/view/code: selftests/fuzz/view/code.S
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) -nostdlib -static -Wl,-z,noseparate-code,-z,max-page-size=4096 \
		-Wl,--build-id=none,-Ttext=0x400200 -o $@ $<

$(FUZZ)/obj/selftests/fuzz/view/fuzz_view.o: $(FUZZ)/view/code
$(FUZZ)/view/fuzz_view: $(FUZZ)/obj/selftests/fuzz/view/fuzz_view.o $(FUZZ)/view.a $(FUZZ)/auxrec.a
	@mkdir -p $(@D)
	$(QUIET_LD)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer \
		-Wl,--wrap=find_file,--wrap=find_debug_file,--wrap=read_next,--wrap=read_close \
		-o $@ $< $(FUZZ)/obj/selftests/fuzz/exact.o -Wl,--start-group $(FUZZ)/view.a $(FUZZ)/auxrec.a \
		-Wl,--end-group $(VIEW_SYS) -lzstd -lelf -lz -pthread
$(FUZZ)/view/fuzz_view: $(FUZZ)/obj/selftests/fuzz/exact.o

# Build the generators, too. They are rarely used, so a build error would go unnoticed.
fuzz-programs: $(FUZZ_PROGRAMS) $(FUZZ)/merge/seeds $(FUZZ)/recover/seeds

fuzz: $(foreach name,$(FUZZ_TARGETS),$(FUZZ)/$(name)/fuzz_$(name))
	@selftests/fuzz/run for $(T) $(FUZZ_TARGETS)

fuzz-corpus: $(foreach name,$(FUZZ_TARGETS),$(FUZZ)/$(name)/fuzz_$(name)) \
		$(TESTS)/elf/test_elf_id $(FUZZ)/merge/seeds $(FUZZ)/recover/seeds
	@selftests/fuzz/run corpus $(FUZZ_TARGETS)

-include $(shell find $(FUZZ)/obj -name '*.d' 2>/dev/null)
-include $(wildcard $(BUILD)/selftests/fuzz/*/*.d)
