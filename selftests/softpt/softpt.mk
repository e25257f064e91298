# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that test the pure part of module/softpt. selftests/tests.mk includes
# this file.

SPT	  := $(TESTS)/softpt
SPT_FLAGS := $(USER_FLAGS) -Iselftests/softpt/compat -Imodule/softpt
SPT_PURE  := $(addprefix $(SPT)/module/,insn.o length.o reader.o packet.o flow.o block.o)
SPT_WORK  := $(addprefix $(SPT)/,work work-static work-static-pie)

# Programs with one concern each, which are recorded in virtual machines
SPT_ODD	  := $(addprefix $(SPT)/programs/,signals waits procs migrate timers flags own_tf \
	     rep rseq filtered emulated vsyscall debugger calls ending runon execonly restarted throttled secret \
	     signals-dynamic signals-pie far64 sysenter away remapped)

SPT_TESTS := $(addprefix $(SPT)/,test_cases test_blocks fuzz_flow compare_insns decode \
	     stepper modes refused evict guest/decode guest/record_host storm stormed stormed-static) $(SPT_WORK) $(SPT_ODD)

$(BUILD)/.host-softpt: selftests/setup/host
	@mkdir -p $(BUILD)
	@$(SETUP)/host tool softpt
	@touch $@

$(SPT)/%.o: selftests/softpt/%.c Makefile | $(BUILD)/.host-softpt
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(SPT_FLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

$(SPT)/module/%.o: module/softpt/%.c Makefile | $(BUILD)/.host-softpt
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(SPT_FLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

$(SPT)/test_cases $(SPT)/fuzz_flow: %: %.o $(SPT)/libipt.o $(SPT_PURE)
	$(QUIET_LD)$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ -lipt

$(SPT)/test_blocks: %: %.o $(addprefix $(SPT)/module/,block.o insn.o length.o reader.o)
	$(QUIET_LD)$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^

$(SPT)/compare_insns: %: %.o $(addprefix $(SPT)/module/,insn.o length.o reader.o)
	$(QUIET_LD)$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ -lZydis

$(SPT)/decode: %: %.o $(SPT)/libipt.o
	$(QUIET_LD)$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ -lipt

# For virtual machines, which have no libipt: link it in.
$(SPT)/guest/decode: selftests/softpt/decode.c selftests/softpt/libipt.c \
		selftests/softpt/libipt.h Makefile | $(BUILD)/.host-softpt
	@mkdir -p $(@D)
	@cp -L "$$($(CC) -print-file-name=libipt.so)" $(@D)/libipt.so.2
	$(QUIET_LD)$(CC) $(USER_FLAGS) $(CFLAGS) -o $@ $(filter %.c,$^) -L$(@D) -l:libipt.so.2 \
		-Wl,-rpath,'$$ORIGIN'

# Also for virtual machines: contains softpt's pure part, without sanitizers.
$(SPT)/guest/record_host: selftests/softpt/record_host.c selftests/softpt/tracer.c \
		selftests/softpt/tracer.h $(wildcard module/softpt/*.[ch] selftests/softpt/compat/*/*.h) \
		Makefile | $(BUILD)/.host-softpt
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(SPT_FLAGS) $(CFLAGS) -static -o $@ $(filter selftests/%.c,$^) \
		$(SPT_PURE:$(SPT)/module/%.o=module/softpt/%.c)

# Also for virtual machines: without sanitizers, and without libraries.
$(SPT)/stepper: selftests/softpt/stepper.c selftests/softpt/tracer.c \
		selftests/softpt/tracer.h Makefile | $(BUILD)/.host-softpt
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(USER_FLAGS) $(CFLAGS) -static -o $@ $(filter %.c,$^)

$(SPT)/work-static: SPT_LINK := -static
$(SPT)/work-static-pie: SPT_LINK := -static-pie -fPIE
$(SPT_WORK): selftests/softpt/programs/work.c Makefile | $(BUILD)/.host-softpt
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(USER_FLAGS) -O1 -g $(SPT_LINK) -o $@ $< -pthread

$(SPT)/stormed-static: SPT_LINK := -static
$(SPT)/stormed $(SPT)/stormed-static: selftests/softpt/programs/stormed.c Makefile \
		| $(BUILD)/.host-softpt
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(USER_FLAGS) -O1 -g $(SPT_LINK) -o $@ $< -pthread

$(SPT)/storm $(SPT)/refused $(SPT)/evict: $(SPT)/%: selftests/softpt/%.c Makefile | $(BUILD)/.host-softpt
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(USER_FLAGS) $(CFLAGS) -o $@ $<

# The assembler and linker alone can make 32-bit code without further packages.
$(SPT)/modes: selftests/softpt/programs/modes.S Makefile | $(BUILD)/.host-softpt
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) -m32 -c -o $@.o $<
	$(Q)ld -m elf_i386 -o $@ $@.o

$(SPT)/programs/%: selftests/softpt/programs/%.c selftests/softpt/programs/mark.h Makefile
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(USER_FLAGS) -Wno-unused-parameter -O1 -g -static -o $@ $< -pthread

$(SPT)/programs/%-dynamic: selftests/softpt/programs/%.c selftests/softpt/programs/mark.h
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(USER_FLAGS) -Wno-unused-parameter -O1 -g -fPIE -pie -o $@ $<

$(SPT)/programs/%-pie: selftests/softpt/programs/%.c selftests/softpt/programs/mark.h
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(USER_FLAGS) -Wno-unused-parameter -O1 -g -fPIE -static-pie -o $@ $<

$(SPT)/programs/far64: selftests/softpt/programs/far64.S
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) -c -o $@.o $<
	$(Q)ld -o $@ $@.o

$(SPT)/programs/sysenter: selftests/softpt/programs/sysenter.S
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) -m32 -c -o $@.o $<
	$(Q)ld -m elf_i386 -o $@ $@.o

# Run storm.sh for PT_SOAK_SECONDS in a VM with each of KERNELS, one after the
# other.
PT_SOAK_SECONDS ?= 600
.PHONY: soak-pt
soak-pt: tool selftests
	@set -e; for k in $(KERNELS); do \
		selftests/build-kernel $$k; \
		selftests/vm/run -k $$k --one-thread -t $$(($(PT_SOAK_SECONDS) + 900)) -- \
			env PERFS=perf PT_SOAK_SECONDS=$(PT_SOAK_SECONDS) SEED=$(NEW_SEED) \
			selftests/softpt/storm.sh; \
	done

-include $(wildcard $(SPT)/*.d $(SPT)/*/*.d)
