# SPDX-License-Identifier: GPL-2.0-only
#
# auxview, the program behind `auxrec view` and `auxrec export`. The top Makefile includes this
# file. Each folder of tool/view/ is a library, as each folder of tool/ is.

# Libraries without which auxview does less. Debian's libipt has no .pc file, and libiberty is
# never in the path of shared libraries.
VIEW_CAN = $(shell $(CC) -E -include $(1) -x c /dev/null >/dev/null 2>&1 && echo 1 || echo 0)
VIEW_HAS_LIBIPT	   := $(or $(VIEW_HAS_LIBIPT),$(call VIEW_CAN,intel-pt.h))
VIEW_HAS_LIBIBERTY := $(or $(VIEW_HAS_LIBIBERTY),$(call VIEW_CAN,libiberty/demangle.h))

# Outputs whose sources exist
VIEW_HAS_PAGE	  := $(if $(wildcard tool/view/page/page.h),1,0)
VIEW_HAS_PERFETTO := $(if $(wildcard tool/view/perfetto/perfetto.h),1,0)
VIEW_HAS_PERFDATA := $(if $(wildcard tool/perfdata/perfdata.h),1,0)

VIEW_ALL  := $(patsubst tool/%/,%,$(wildcard tool/view/*/))
# Files that need libipt
VIEW_PT	  := $(addprefix tool/view/decode/,psb.c image.c run.c walk.c fast.c events.c code.c branch.c \
	     job.c pool.c keep.c)
VIEW_SRCS := $(filter-out $(if $(filter 1,$(VIEW_HAS_LIBIPT)),,$(VIEW_PT)) \
	     $(if $(filter 1,$(VIEW_HAS_PAGE)),,tool/view/command/view.c),\
	     $(wildcard tool/view/*.c tool/view/*/*.c))
VIEW_LIBS := $(VIEW_ALL:%=$(BUILD)/tool/%.a)
VIEW_LINK := $(VIEW_LIBS) $(addprefix $(BUILD)/tool/,auxstream.a $(if $(filter 1,$(VIEW_HAS_PERFDATA)),perfdata.a) stream.a zstd.a base.a)
VIEW_SYS   = $(if $(filter 1,$(VIEW_HAS_LIBIPT)),-lipt) \
	     $(if $(filter 1,$(VIEW_HAS_LIBIBERTY)),-liberty) $(TOOL_SYS) -lpthread

VIEW_FLAGS := -D_GNU_SOURCE \
	-DVIEW_HAS_LIBIPT=$(VIEW_HAS_LIBIPT) -DVIEW_HAS_LIBIBERTY=$(VIEW_HAS_LIBIBERTY) \
	-DVIEW_HAS_PAGE=$(VIEW_HAS_PAGE) -DVIEW_HAS_PERFETTO=$(VIEW_HAS_PERFETTO) \
	-DVIEW_HAS_PERFDATA=$(VIEW_HAS_PERFDATA)

# This file changes when a library was installed or removed since the last build.
$(BUILD)/.view-flags: FORCE
	@mkdir -p $(@D)
	@echo '$(VIEW_FLAGS)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(VIEW_SRCS:%.c=$(BUILD)/%.o): $(BUILD)/.view-flags
$(VIEW_SRCS:%.c=$(BUILD)/%.o): CPPFLAGS += $(VIEW_FLAGS)

define VIEW_ARCHIVE_RULE
$$(BUILD)/tool/$(1).a: $$(patsubst %.c,$$(BUILD)/%.o,$$(filter tool/$(1)/%,$$(VIEW_SRCS)))
	@rm -f $$@
	$$(QUIET_AR)$$(AR) rcs $$@ $$^
endef
$(foreach dir,$(VIEW_ALL),$(eval $(call VIEW_ARCHIVE_RULE,$(dir))))

# The assembler reads these files, so the compiler does not list them as dependencies.
$(BUILD)/tool/view/page/assets.o: $(wildcard $(addprefix tool/view/page/browser/*.,js css html))

$(AUXVIEW): $(BUILD)/tool/view/main.o $(VIEW_LINK)
	@test $(VIEW_HAS_LIBIPT) = 1 || echo "auxview is built without libipt (Debian: libipt-dev): it does not decode Intel PT"
	@test $(VIEW_HAS_LIBIBERTY) = 1 || echo "auxview is built without libiberty (Debian: libiberty-dev): names of C++ and Rust stay mangled"
	$(QUIET_LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< -Wl,--start-group $(VIEW_LINK) -Wl,--end-group \
		$(VIEW_SYS)

-include $(VIEW_SRCS:%.c=$(BUILD)/%.d)
