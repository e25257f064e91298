# SPDX-License-Identifier: GPL-2.0-only
#
# perfaux: `make help` says what there is. The kernel's build system reads
# Kbuild, not this file.

BUILD	:= build
KDIR	?= /lib/modules/$(shell uname -r)/build
PREFIX	?= /usr/local
KERNELS	?= $(shell selftests/kernels)
CC	?= gcc
OBJCOPY	?= objcopy
CFLAGS	?= -O2 -g
CPUS	?= 4

SETUP	:= selftests/setup

# A line for each file; V=1 shows the commands instead, those of kbuild too.
ifneq ($(V),1)
Q	 := @
quiet	  = @printf '  %-7s %s\n' $(1) $(2);
QUIET_CC  = $(call quiet,CC,$<)
QUIET_LD  = $(call quiet,LD,$@)
QUIET_AR  = $(call quiet,AR,$@)
QUIET_GEN = $(call quiet,GEN,$@)
endif

.PHONY: t tags litmus all tool module no-module modules selftests check check-all check-debug soak demo install clean help lint \
	docs setup debug-kernel bench bench-write bench-ids bench-raw bench-flight bench-start \
	table-ids softpt-tests model-tests FORCE

all: tool $(if $(wildcard $(KDIR)/Makefile),module,no-module)

# --- auxrec ----------------------------------------------------------------

TOOL_PKGS := libelf zlib libzstd
TOOL_SYS   = $$(pkg-config --libs $(TOOL_PKGS))
# A library for each folder of tool/. tool/ORDER has them from the lowest to the highest.
TOOL_DIRS := $(filter-out view,$(shell sed 's/\#.*//' tool/ORDER))
TOOL_LIBS := $(TOOL_DIRS:%=$(BUILD)/tool/%.a)
# The module and the tool find build-ids with the same code, and know the same PMUs.
TOOL_FROM_MODULE := $(BUILD)/module/ids/elf_id.o $(BUILD)/module/event/aux_pmus.o
TOOL_SRCS := $(wildcard tool/*.c tool/*/*.c)
TOOL_OBJS := $(TOOL_SRCS:%.c=$(BUILD)/%.o) $(TOOL_FROM_MODULE)
# The linker wants each library before the libraries that it uses.
REVERSED   = $(if $(1),$(call REVERSED,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
TOOL_LINK := $(call REVERSED,$(TOOL_LIBS) $(BUILD)/module/tool.a)
AUXREC	  := $(BUILD)/tool/auxrec
AUXVIEW	  := $(BUILD)/tool/auxview
USER_FLAGS := -std=gnu11 -Wall -Wextra -Wstrict-prototypes \
	     -Itool -Iuapi

# The library for other programs: one object, in which only the public functions are global.
AUXSTREAM := $(BUILD)/libauxstream.a

tool: $(AUXREC) $(AUXSTREAM) $(AUXVIEW)

# On Debian, install missing packages, which needs root.
$(BUILD)/.host-tool: selftests/setup/host
	@mkdir -p $(BUILD)
	@{ command -v $(CC) && pkg-config --exists $(TOOL_PKGS); } >/dev/null 2>&1 || \
		 $(SETUP)/host tool
	@touch $@

$(BUILD)/%.o: %.c Makefile | $(BUILD)/.host-tool
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(USER_FLAGS) $(CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

define ARCHIVE_RULE
$$(BUILD)/tool/$(1).a: $$(patsubst %.c,$$(BUILD)/%.o,$$(wildcard tool/$(1)/*.c))
	@rm -f $$@
	$$(QUIET_AR)$$(AR) rcs $$@ $$^
endef
$(foreach dir,$(TOOL_DIRS),$(eval $(call ARCHIVE_RULE,$(dir))))

$(BUILD)/module/tool.a: $(TOOL_FROM_MODULE)
	@rm -f $@
	$(QUIET_AR)$(AR) rcs $@ $^

$(AUXREC): $(BUILD)/tool/main.o $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< -Wl,--start-group $(TOOL_LINK) -Wl,--end-group $(TOOL_SYS) -pthread

$(AUXSTREAM): $(addprefix $(BUILD)/tool/,auxstream.a stream.a zstd.a base.a)
	@rm -f $@
	$(QUIET_AR)$(LD) -r -o $(@:.a=.o) --whole-archive $< --no-whole-archive \
		--start-group $(filter-out $<,$^) --end-group && \
	$(OBJCOPY) -w --keep-global-symbol='auxstream_*' $(@:.a=.o) && $(AR) rcs $@ $(@:.a=.o)

-include $(TOOL_OBJS:.o=.d)

include tool/view/view.mk

# "VERSION COMMIT", which changes when one of them does
$(BUILD)/.version: FORCE
	@mkdir -p $(@D)
	@echo "$$(packaging/version) $$(packaging/version commit)" >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(BUILD)/tool/base/version.o: $(BUILD)/.version
$(BUILD)/tool/base/version.o: CPPFLAGS += \
	-DAUXREC_VERSION='"$(firstword $(file <$(BUILD)/.version))"' \
	-DAUXREC_COMMIT='"$(lastword $(file <$(BUILD)/.version))"'

# --- modules ---------------------------------------------------------------

module:
	@test -e $(KDIR)/Makefile || { \
		echo "no kernel headers in $(KDIR): install linux-headers-$$(uname -r)," \
		     "or name a build tree: make module KDIR=DIR" >&2; exit 1; }
	$(Q)$(MAKE) --no-print-directory -C $(KDIR) M=$(CURDIR) modules

# If the module cannot be built, `make` only says so, because auxrec works without the module.
no-module:
	@echo "No module was built: there are no kernel headers in $(KDIR)."
	@echo "Install linux-headers-$$(uname -r), or name a build tree: make module KDIR=DIR"

# The modules and those of the tests for each of KERNELS, in build/modules/K
modules: $(KERNELS:%=modules-%)
modules-%: FORCE
	$(Q)selftests/build-kernel $*

# --- tests -----------------------------------------------------------------

include selftests/tests.mk

# selftests/check itself builds what it needs, because it reports the times of set-up, build and
# tests separately.
CHECK_ENV := KERNELS="$(KERNELS)" CPUS=$(CPUS) $(if $(filter undefined,$(origin DEBUG_KERNELS)),,\
	     DEBUG_KERNELS="$(DEBUG_KERNELS)")

check:
	@$(CHECK_ENV) MATRIX="$(MATRIX)" selftests/check

check-all:
	@$(CHECK_ENV) MATRIX=all selftests/check

# All suites that can run in the debug kernels
check-debug: debug-kernel
	@KERNELS= DEBUG_KERNELS="kasan kcsan" CPUS=$(CPUS) MATRIX=all FULL=1 selftests/check

# The inner loop: one suite, by name or by its program, with what it needs
t: $(BUILD)/.host-tool
	@K=$(K) selftests/one $(T) $(ARGS)

demo:
	@KERNELS="$(KERNELS)" selftests/demo

setup:
	$(Q)$(SETUP)/all $(KERNELS)

debug-kernel:
	$(Q)$(SETUP)/debug-kernel kasan
	$(Q)$(SETUP)/debug-kernel kcsan

SOAK_SECONDS ?= 1200
# The seed of tests that run long: another one each time, or SEED
NEW_SEED = $(strip $(or $(SEED),$(shell od -An -N2 -tu2 /dev/urandom)))

soak: tool selftests
	$(Q)for k in $(KERNELS); do \
		perf=$$k mem=2G; \
		case $$k in k*) perf=6.12 mem=3G ;; esac; \
		selftests/build-kernel $$k && selftests/vm/run -k $$k -c 4 -m $$mem --one-thread \
			-t $$(($(SOAK_SECONDS) * 2 + 1200)) -- \
			env SOAK_SECONDS=$(SOAK_SECONDS) PERFS=perf-$$perf \
			SEED=$(NEW_SEED) \
			selftests/soak/soak.sh || exit; \
	done

litmus:
	$(Q)LKMM="$(LKMM)" selftests/litmus/run

tags: FORCE
	$(Q)git ls-files '*.[ch]' | xargs ctags

# For auxrec and for test programs. For the module, clangd reads the kernel's own.
compile_commands.json: FORCE
	$(Q)selftests/compile-commands >$@.tmp && mv $@.tmp $@

lint:
	@KERNELS="$(KERNELS)" selftests/lint

docs:
	$(Q)Documentation/build $(BUILD)/docs

# --- the rest --------------------------------------------------------------

include packaging/packaging.mk

clean:
	$(Q)rm -rf $(BUILD)
	$(Q)find . -path ./.git -prune -o \( -name '*.o' -o -name '*.ko' -o -name '*.mod' \
		-o -name '*.mod.c' -o -name '.*.cmd' -o -name '.*.d' -o -name '.probes*' -o -name Module.symvers \
		-o -name modules.order \) -type f -exec rm -f {} +

help:
	@echo "make t T=ring/hold K=6.12   builds and runs one suite in a VM: about 30 s from an edit of"
	@echo "                  the module, and the suite's own time; T=events: a unit test on the host"
	@echo "                  T= names them all; ARGS='-t NAME' runs one test"
	@echo "make              auxrec, and the modules if the running kernel's headers are there"
	@echo "make tool         auxrec only: $(AUXREC)"
	@echo "make module       perfaux.ko, and softpt.ko where it can be built, for KDIR=..."
	@echo "                  (default: the running kernel's)"
	@echo "make install      to PREFIX=$(PREFIX), below DESTDIR=; with DEVICE_GROUP=NAME"
	@echo "                  only that group and root may use /dev/perfaux"
	@echo "make uninstall    removes what make install has installed"
	@echo "make deb          Debian packages in $(BUILD)/deb; make lint-deb checks them, make"
	@echo "                  clean-deb builds them in a clean Debian of their own"
	@echo "make rpm          RPM packages in $(BUILD)/rpm"
	@echo "make release      the source as a tarball in $(BUILD)/release, and a build of it"
	@echo "make demo         traces a program in a VM and shows its calls: demo.auxrec, demo.html"
	@echo "make check        the tests: every suite once, most on the newest of KERNELS=\"$(KERNELS)\"."
	@echo "                  MATRIX=changed adds what the change since BASE=COMMIT can affect"
	@echo "make check-all    every suite on every one of KERNELS, and the short lists of the debug"
	@echo "                  kernels that are there; DEBUG_KERNELS=\"kasan kcsan\" requires both"
	@echo "make check-debug  every test that can run in the kernels with KASAN and KCSAN"
	@echo "make soak         everything together for SOAK_SECONDS=1200, in a VM of each of KERNELS"
	@echo "make selftests    the test programs: $(BUILD)/selftests"
	@echo "make modules      the modules and those of the tests for each of KERNELS"
	@echo "make bench        instructions of the hot paths, beside the kernel's own; bench-write"
	@echo "                  writes the table to selftests/bench/budget (T=budget compares)"
	@echo "make bench-ids    what build-ids in mmap records cost, beside the kernel's own"
	@echo "make bench-flight a flight recorder, beside perf record's snapshots and overwriting"
	@echo "make bench-start  what a start costs, in instructions, beside perf record"
	@echo "make bench-raw    raw data of samples by the raw ring, beside perf's and BPF's rings"
	@echo "make bench-view   auxview, beside perf script"
	@echo "make bench-page   the page of a recording: how long each frame takes"
	@echo "make table-ids    which mmap records have their build-id, case by case"
	@echo "make soak-pt      softpt with random signals, for PT_SOAK_SECONDS=600"
	@echo "make fuzz T=60    code that reads untrusted bytes, under libFuzzer: T seconds for each"
	@echo "                  of FUZZ_TARGETS=\"$(FUZZ_NAMES)\""
	@echo "make fuzz-corpus  writes the inputs with which fuzz begins to the tree"
	@echo "make lint         checkpatch, sparse, shellcheck, documentation (part of check)"
	@echo "make litmus       memory barriers, by the kernel's memory model: needs herd7"
	@echo "make tags         for editors, and make compile_commands.json"
	@echo "make docs         the documentation as HTML and manual pages: $(BUILD)/docs"
	@echo "make setup        fetches what VMs of KERNELS need (check and demo do this too)"
	@echo "make debug-kernel builds the KASAN and KCSAN kernels (about an hour)"
	@echo "make clean        removes what was built"
	@echo
	@echo "Settings: KERNELS, CPUS (of the VMs: $(CPUS)), PERFAUX_CACHE (where fetched"
	@echo "kernels and root file systems are kept), VERBOSE=1 (all output of the tests)"
