# SPDX-License-Identifier: GPL-2.0-only
#
# Build the test programs in build/selftests. The top Makefile includes this file.

TESTS := $(BUILD)/selftests
RING  := abi_create abi_attach abi_state abi_poll abi_kept memory memlock integrity overwrite \
	 starved sinks numa order races kernel_aux redirect modules ptmodel hold trigger raw \
	 raw_kinds raw_nested raw_modules produce produce_storm produce_bpf produce_verifier faults \
	 setuid attached rights
RING_LIB := $(addprefix $(BUILD)/selftests/ring/lib/,ring_event.o ring_kernel.o \
	    ring_lib.o ring_manual.o ring_ns.o ring_still.o ring_sys.o ring_work.o auxgen_check.o pt_lib.o \
	    raw_bpf.o raw_lib.o raw_seen.o rawgen_check.o produce_lib.o produce_prog.o kfunc_lib.o)
IDS   := files vdso change abi notices modules others users readers sessions fuse netfs hostile \
	 races lockdown
IDS_LIB := $(addprefix $(BUILD)/selftests/,ids/ids_files.o ids/ids_fs.o \
	   ids/ids_late.o ids/ids_perf.o ids/ids_place.o ids/ids_session.o \
	   ring/lib/ring_lib.o ring/lib/ring_ns.o ring/lib/ring_sys.o \
	   ring/lib/ring_work.o)

# How a test of auxrec is linked: its own objects, and the tool's libraries as one group
TOOL_GROUP = $(filter-out %.a,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
	     $(TOOL_SYS) -pthread

# The programs that count instructions, see bench/instructions
BENCH := $(addprefix $(TESTS)/bench/,span reader drain frame ids steps)

CRASH := $(addprefix $(TESTS)/crash/,crash_start crash_judge crash_full)

selftests: $(RING:%=$(TESTS)/ring/%) $(TESTS)/ring/pt_overwrite $(IDS:%=$(TESTS)/ids/%) \
	$(TESTS)/tool/stream/auxstream_sums $(TESTS)/ids/elf/list $(TESTS)/ids/fuse_mount $(TESTS)/bench/maps \
	$(TESTS)/demo_work $(TESTS)/demo_calls \
	$(addprefix $(TESTS)/tool/,events/test_events events/test_period events/test_probe events/test_symbol \
		frames/test_frames frames/test_sums state/test_state state/test_recent state/test_recent_memory \
		state/test_proc_maps synth/test_kernel_range \
		control/test_control control/test_socket control/test_ctl merge/test_merge merge/test_refused \
		daemon/test_daemon daemon/test_notify daemon/test_journal flight/standin flight/actor flight/called flight/called_go flight/churn flight/memory flight/hold_fails.so \
		record/test_options perfdata/to_perf_data perfetto/feed stream/test_lost stream/test_map_kind stream/test_pack stream/test_zstd \
		session/test_child rotate/test_file_list rotate/test_rotate record/test_filter record/test_bpf record/pt_gap record/fork_killed.so \
		record/aux_verify record/aux_work record/bpf_hold record/calls record/bpf_write \
		flight/test_trigger flight/test_snapshot_queue flight/test_bpf flight/test_hang flight/test_pressure flight/test_drop flight/test_gaps \
		flight/test_snapfile flight/test_keep flight/test_write flight/test_remove flight/test_files \
		flight/test_run only/test_only helper/test_append helper/test_hook monitor/status page/feed page/test_output recover/test_journal recover/test_ring \
		recover/test_survive) \
	$(addprefix $(TESTS)/elf/,test_elf_id compare_files test_cut) softpt-tests \
	$(TESTS)/fuzz-ring/fuzz_ring $(TESTS)/vm/tsc_khz $(BENCH) $(CRASH)

# kselftest_harness.h comes from the kernel's source package.
$(BUILD)/.kselftest: selftests/setup/kselftest | $(BUILD)/.host-tool
	@$(SETUP)/kselftest >$@.tmp && mv $@.tmp $@

# The harness's macros make much code. -O1 and -g0 each save a quarter of the build time.
define HARNESS_RULE
$$(BUILD)/selftests/$(1)/%.o: selftests/$(1)/%.c $$(BUILD)/.kselftest Makefile
	@mkdir -p $$(@D)
	$$(QUIET_CC)$$(CC) $$(USER_FLAGS) $$(CFLAGS) -O1 -g0 $$(CPPFLAGS) -MMD -MP -c -o $$@ $$< \
		-isystem $$$$(cat $$(BUILD)/.kselftest)/tools/testing/selftests \
		$$(if $$(shell grep -l kselftest_harness.h $$<),-include selftests/harness.h)
endef
$(foreach dir,ring ids tool/control tool/daemon tool/events tool/flight tool/helper tool/only tool/state tool/stream tool/synth,$(eval $(call HARNESS_RULE,$(dir))))

$(addprefix $(TESTS)/ring/,$(RING) pt_overwrite): $(TESTS)/ring/%: $(BUILD)/selftests/ring/%.o $(RING_LIB)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread

# The reader loop in the comment of uapi/perfaux.h, from the first to the last line of its
# outermost block. ring_manual.c compiles it.
$(BUILD)/selftests/ring/lib/manual_loop.h: uapi/perfaux.h
	@mkdir -p $(@D)
	$(QUIET_GEN)sed -n 's/^ \*//; /^\tdo {$$/,/^\t} while (next != begin);$$/p' $< >$@
	@grep -q 'while (next' $@

$(BUILD)/selftests/ring/lib/ring_manual.o: $(BUILD)/selftests/ring/lib/manual_loop.h
$(BUILD)/selftests/ring/lib/ring_manual.o: CPPFLAGS += -I$(BUILD)/selftests/ring/lib

$(addprefix $(TESTS)/ring/,hold trigger): $(BUILD)/selftests/ring/lib/hold_lib.o
$(TESTS)/ring/faults: $(addprefix $(BUILD)/selftests/ring/fault/,inject.o place.o calls.o) \
		$(BUILD)/selftests/ids/fuse_server.o $(IDS_LIB)

$(CRASH): $(TESTS)/crash/%: $(BUILD)/selftests/crash/%.o $(RING_LIB)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread
$(TESTS)/crash/crash_judge: $(addprefix $(BUILD)/selftests/crash/,kept.o judge_chunks.o judge_frames.o)

# Build this program as other projects do: with the public header and the archive only.
$(TESTS)/tool/stream/auxstream_sums: selftests/tool/stream/auxstream_sums.c tool/auxstream/auxstream.h \
		$(AUXSTREAM)
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) -std=gnu11 -Wall -Wextra $(CFLAGS) -Itool/auxstream -o $@ $< $(AUXSTREAM) -lzstd

$(IDS:%=$(TESTS)/ids/%): $(TESTS)/ids/%: $(BUILD)/selftests/ids/%.o $(IDS_LIB)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread

$(TESTS)/ids/fuse: $(BUILD)/selftests/ids/fuse_server.o
$(TESTS)/ids/netfs: $(BUILD)/selftests/ids/net_server.o
$(TESTS)/ids/fuse_mount: $(addprefix $(BUILD)/selftests/ids/,fuse_mount.o \
		fuse_server.o) $(IDS_LIB)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread

# The test compares its results with those of the module's parser.
$(TESTS)/ids/hostile: $(BUILD)/module/ids/elf_id.o

$(TESTS)/ids/elf/list: selftests/ids/make-elf selftests/ids/edit-elf.py
	@$(SETUP)/host elf
	$(QUIET_GEN)selftests/ids/make-elf $(@D)

# -O1: the trace must show the calls, which the compiler would optimise into jumps.
$(BUILD)/selftests/demo_calls.o: CFLAGS += -O1
$(TESTS)/demo_work $(TESTS)/demo_calls: %: %.o
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread

$(TESTS)/tool/events/test_events: $(addprefix $(BUILD)/selftests/tool/events/,test_events.o tree.o text.o) \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/events/test_period: $(BUILD)/selftests/tool/events/test_period.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/events/test_probe: $(addprefix $(BUILD)/selftests/tool/events/,test_probe.o probe_twin.o) \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/events/test_symbol: $(BUILD)/selftests/tool/events/test_symbol.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/record/test_options: $(BUILD)/selftests/tool/record/test_options.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/rotate/test_rotate: $(BUILD)/selftests/tool/rotate/test_rotate.o $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/rotate/test_file_list: $(BUILD)/selftests/tool/rotate/test_file_list.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=clock_gettime -o $@ $(TOOL_GROUP)

$(TESTS)/tool/session/test_child: $(BUILD)/selftests/tool/session/test_child.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=fork -o $@ $(TOOL_GROUP)

$(TESTS)/tool/record/test_filter: $(BUILD)/selftests/tool/record/test_filter.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/record/test_bpf: $(BUILD)/selftests/tool/record/test_bpf.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=syscall -o $@ $(TOOL_GROUP)

$(TESTS)/tool/frames/test_frames: $(BUILD)/selftests/tool/frames/test_frames.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=ioctl -o $@ $(TOOL_GROUP)

$(TESTS)/tool/frames/test_sums: $(BUILD)/selftests/tool/frames/test_sums.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/state/test_proc_maps: $(BUILD)/selftests/tool/state/test_proc_maps.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/synth/test_kernel_range: $(BUILD)/selftests/tool/synth/test_kernel_range.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(addprefix $(TESTS)/tool/state/,test_state test_recent test_recent_memory): $(TESTS)/tool/state/%: \
		$(BUILD)/selftests/tool/state/%.o $(BUILD)/selftests/tool/state/history.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(addprefix $(TESTS)/tool/recover/,test_journal test_survive): $(TESTS)/tool/recover/%: \
		$(BUILD)/selftests/tool/recover/%.o $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/recover/test_ring: $(BUILD)/selftests/tool/recover/test_ring.o \
		$(BUILD)/selftests/tool/recover/make_region.o $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(addprefix $(TESTS)/tool/control/,test_control test_socket test_ctl): \
		$(TESTS)/tool/control/%: $(BUILD)/selftests/tool/control/%.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/daemon/test_daemon: $(BUILD)/selftests/tool/daemon/test_daemon.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=write -o $@ $(TOOL_GROUP)

$(addprefix $(TESTS)/tool/stream/,test_lost test_map_kind test_pack test_zstd): $(TESTS)/tool/stream/%: \
		$(BUILD)/selftests/tool/stream/%.o $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(addprefix $(TESTS)/tool/daemon/,test_notify test_journal): $(TESTS)/tool/daemon/%: \
		$(BUILD)/selftests/tool/daemon/%.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/standin: $(BUILD)/selftests/tool/flight/standin.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_trigger: $(BUILD)/selftests/tool/flight/test_trigger.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_snapshot_queue: $(BUILD)/selftests/tool/flight/test_snapshot_queue.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=now_ns -o $@ $(TOOL_GROUP)

$(TESTS)/tool/helper/test_append: $(BUILD)/selftests/tool/helper/test_append.o $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/helper/test_hook: $(BUILD)/selftests/tool/helper/test_hook.o $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/monitor/status: $(BUILD)/selftests/tool/monitor/status.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=now_ns,--wrap=perf_clock_about -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_bpf: $(BUILD)/selftests/tool/flight/test_bpf.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=syscall,--wrap=epoll_ctl -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_hang: $(BUILD)/selftests/tool/flight/test_hang.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=open,--wrap=timerfd_create,--wrap=timerfd_settime,--wrap=now_ns \
		-o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_pressure: $(BUILD)/selftests/tool/flight/test_pressure.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=open,--wrap=write,--wrap=poll -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_drop: $(BUILD)/selftests/tool/flight/test_drop.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/only/test_only: $(BUILD)/selftests/tool/only/test_only.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_gaps: $(BUILD)/selftests/tool/flight/test_gaps.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

# The tests wrap these calls to simulate file systems that lack a feature.
$(TESTS)/tool/flight/test_snapfile: $(addprefix $(BUILD)/selftests/tool/flight/,test_snapfile.o \
		snap_dir.o wrap_open.o) $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=open,--wrap=renameat2,--wrap=link -o $@ $(TOOL_GROUP)

# A program with a function of Go's runtime
$(TESTS)/tool/flight/called_go: $(TESTS)/tool/flight/called
	$(QUIET_LD)objcopy --add-symbol runtime.main=.text:0,function,global $< $@

$(TESTS)/tool/flight/test_keep: $(addprefix $(BUILD)/selftests/tool/flight/,test_keep.o \
		keep_now.o snap_dir.o) $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_write: $(addprefix $(BUILD)/selftests/tool/flight/,test_write.o \
		keep_now.o snap_dir.o wrap_open.o) $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=open,--wrap=mkostemps,--wrap=linkat,--wrap=close \
		-Wl,--wrap=fdatasync,--wrap=fsync,--wrap=fallocate -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_remove: $(addprefix $(BUILD)/selftests/tool/flight/,test_remove.o \
		snap_dir.o wrap_open.o) $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=open,--wrap=openat,--wrap=opendir,--wrap=fstatat \
		-Wl,--wrap=unlink -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_files: $(BUILD)/selftests/tool/flight/test_files.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/flight/test_run: $(BUILD)/selftests/tool/flight/test_run.o \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/merge/test_refused: WRAP := -Wl,--wrap=fdatasync
$(addprefix $(TESTS)/tool/merge/,test_merge test_refused): $(TESTS)/tool/merge/%: \
		$(BUILD)/selftests/tool/merge/%.o $(addprefix $(BUILD)/selftests/tool/, \
		merge/world.o merge/world_write.o state/history.o) \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) $(WRAP) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/record/bpf_write: $(addprefix $(BUILD)/selftests/,tool/record/bpf_write.o \
		ring/lib/raw_bpf.o ring/lib/kfunc_lib.o ring/lib/raw_lib.o ring/lib/ring_lib.o ring/lib/ring_sys.o \
		ring/lib/ring_event.o)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^

$(TESTS)/tool/flight/churn: $(BUILD)/selftests/tool/flight/churn.o
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread

FUZZ_RING := fuzz_ring args ops_event ops_file ops_flight ops_ioctl ops_memory ops_task \
	     other_task perf_locked pool privilege run wait watch

$(TESTS)/fuzz-ring/fuzz_ring: $(FUZZ_RING:%=$(BUILD)/selftests/fuzz-ring/%.o) \
		$(addprefix $(BUILD)/selftests/ring/lib/,ring_lib.o ring_event.o ring_sys.o raw_lib.o \
		raw_bpf.o kfunc_lib.o)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread

$(addprefix $(TESTS)/tool/,record/aux_verify record/aux_work record/bpf_hold record/calls flight/actor flight/called \
	flight/memory): %: %.o
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread

$(addprefix $(TESTS)/tool/,record/fork_killed.so flight/hold_fails.so): \
		$(TESTS)/%.so: selftests/%.c Makefile
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(USER_FLAGS) $(CFLAGS) -fPIC -shared -o $@ $<

$(TESTS)/tool/record/pt_gap: %: %.o
	$(QUIET_LD)$(CC) $(CFLAGS) -static -o $@ $^

$(TESTS)/bench/mmap_id $(TESTS)/bench/maps: %: %.o
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^

$(addprefix $(TESTS)/bench/,at_place map_ways): $(TESTS)/bench/%: \
		$(BUILD)/selftests/bench/%.o $(BUILD)/selftests/ids/fuse_server.o $(IDS_LIB)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread

table-ids: tool $(TESTS)/ids/elf/list $(addprefix $(TESTS)/bench/,at_place map_ways)
	@KERNELS="$(KERNELS)" selftests/bench/table

$(TESTS)/bench/raw_rate: $(BUILD)/selftests/bench/raw_rate.o \
		$(addprefix $(BUILD)/selftests/ring/lib/,raw_bpf.o kfunc_lib.o raw_lib.o ring_lib.o \
		ring_event.o ring_sys.o) $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

bench-raw: $(TESTS)/bench/raw_rate
	@KERNELS="$(KERNELS)" selftests/bench/raw

# vm/run runs this program on the host.
$(TESTS)/vm/tsc_khz: $(BUILD)/selftests/vm/tsc_khz.o
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^

FLIGHT_BENCH := $(addprefix $(TESTS)/bench/,flight_churn flight_latency flight_steps)
# One program, built twenty times. Each build has another name for its function, and
# therefore another build-id.
FLIGHT_BUILDS := $(addprefix $(TESTS)/bench/flight_builds/,$(shell seq -w 20))

$(FLIGHT_BENCH): %: %.o
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^

$(FLIGHT_BUILDS): selftests/bench/flight_spin.c Makefile
	@mkdir -p $(@D)
	$(QUIET_LD)$(CC) $(USER_FLAGS) $(CFLAGS) -DFLIGHT_SPIN_HERE=flight_spin_$(@F) -Wl,--build-id -o $@ $<

bench-flight: tool $(FLIGHT_BENCH) $(FLIGHT_BUILDS)
	@KERNELS="$(KERNELS)" selftests/bench/flight

$(filter-out %/drain,$(BENCH)): $(TESTS)/bench/%: \
		$(addprefix $(BUILD)/selftests/bench/,%.o bench_lib.o) $(RING_LIB)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -pthread

$(TESTS)/bench/frame: $(BUILD)/selftests/bench/frame_prog.o

# auxrec and the library of the ring's tests have functions of the same names.
$(TESTS)/bench/bench_alone.o: $(BUILD)/selftests/bench/bench_lib.o $(RING_LIB)
	$(QUIET_LD)$(LD) -r -o $@ $^ && $(OBJCOPY) -w --keep-global-symbol='bench_*' $@

$(TESTS)/bench/drain: $(addprefix $(BUILD)/selftests/bench/,drain.o bench_alone.o) $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

bench: $(BENCH)
	@KERNELS="$(KERNELS)" selftests/bench/instructions
bench-write: $(BENCH)
	@selftests/bench/instructions write

bench-start: tool
	@KERNELS="$(KERNELS)" selftests/bench/start

bench-ids: tool $(TESTS)/bench/mmap_id $(TESTS)/bench/maps
	@KERNELS="$(KERNELS)" selftests/bench/ids

# module/ids/elf_id.c is part of the module, of auxrec, and of these tests.
ELF_FLAGS := $(USER_FLAGS) -Imodule
SANITIZE  := -fno-sanitize-recover=undefined -fsanitize=address,undefined
ELF_TESTS := $(addprefix $(TESTS)/elf/,test_elf_id.o image.o valid_cases.o \
	     damaged_cases.o bound_cases.o)

$(TESTS)/elf/%.o: selftests/elf/%.c Makefile | $(BUILD)/.host-tool
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(ELF_FLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

$(TESTS)/elf/elf_id.o: module/ids/elf_id.c Makefile | $(BUILD)/.host-tool
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(ELF_FLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

$(TESTS)/elf/test_elf_id: $(ELF_TESTS) $(TESTS)/elf/elf_id.o
	$(QUIET_LD)$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^

$(TESTS)/elf/test_cut: $(addprefix $(TESTS)/elf/,test_cut.o elf_id.o) \
		$(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) $(SANITIZE) -Wl,--wrap=pread -o $@ $(TOOL_GROUP)

$(TESTS)/elf/compare_files: $(addprefix $(TESTS)/elf/,compare_files.o elf_id.o)
	$(QUIET_LD)$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ -lelf

# The model of the pool of segments. The module's files are compiled with -fsanitize=thread,
# because the compiler then inserts a call before each access. Instead of the kernel's
# <linux/...> headers, these files get model/shim.h. mutants/NAME.sed plants a bug in a copy
# of one of the files.
MODEL	      := $(TESTS)/model
MODEL_FLAGS   := $(filter-out -Itool,$(USER_FLAGS)) -Wno-sign-compare -Wno-unused-parameter -Wno-tsan -fno-pie \
		 -O2 -I$(MODEL)/include -Iselftests/model -Imodule -Itool
MODEL_MODULE  := $(addprefix $(MODEL)/module/,$(addprefix ring/,segment.o reuse.o order.o free.o frame.o frame_word.o \
		 freeze.o hold.o flush.o gap.o sink.o kick.o clock.o) event/output.o event/pid.o produce/producer.o)
MODEL_TOOL    := $(MODEL)/tool/ring/look.o
MODEL_OBJS    := $(patsubst selftests/%.c,$(TESTS)/%.o,$(wildcard selftests/model/*.c))
MODEL_MUTANTS := $(patsubst selftests/%.sed,$(TESTS)/%,$(wildcard selftests/model/mutants/*.sed))
MODEL_FROM    := $(MODEL_MODULE:$(MODEL)/%.o=%.c) \
		 $(wildcard module/ring/*.h) module/event/event.h \
		 module/event/output.h module/produce/producer.h

# These programs take a while to build, like the programs of selftests/fuzz. selftests/check
# builds both only if the code that they test has changed.
model-tests: $(MODEL)/test_model $(MODEL_MUTANTS)

$(MODEL)/include/.made: $(MODEL_FROM) Makefile selftests/tests.mk | $(BUILD)/.host-tool
	@rm -rf $(@D) && mkdir -p $(@D)/linux/sched
	@sed -n 's|^#include <\(linux/.*\)>.*|\1|p' $(MODEL_FROM) | sort -u | while read -r h; do \
		echo '#include "shim.h"' >$(@D)/$$h || exit; done
	@printf '#include_next <linux/perf_event.h>\n#include "shim.h"\n' >$(@D)/linux/perf_event.h
	@touch $@

$(MODEL)/module/%.o: module/%.c $(MODEL)/include/.made
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(MODEL_FLAGS) $(CFLAGS) -fsanitize=thread -MMD -MP -c -o $@ $<

$(MODEL)/%.o: selftests/model/%.c $(MODEL)/include/.made
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(MODEL_FLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The reader of the tool is part of the model, too.
$(MODEL)/tool/%.o: tool/%.c
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(USER_FLAGS) -Wno-tsan -fno-pie -O2 $(CFLAGS) -fsanitize=thread -MMD -MP -c -o $@ $<

$(MODEL)/test_model: $(MODEL_OBJS) $(MODEL_MODULE) $(MODEL_TOOL)
	$(QUIET_LD)$(CC) $(CFLAGS) -no-pie -o $@ $^

$(MODEL)/mutants/%: selftests/model/mutants/%.sed $(MODEL_OBJS) $(MODEL_MODULE) $(MODEL_TOOL)
	@mkdir -p $(@D)
	@file=$$(sed -n 's/^# file: //p' $<) && [ -e module/$$file ] && file=module/$$file; \
		sed -f $< $$file >$@.c && \
		if cmp -s $@.c $$file; then echo "$< changes nothing" >&2; exit 1; fi
	$(QUIET_CC)$(CC) $(MODEL_FLAGS) $(CFLAGS) -fsanitize=thread -c -o $@.o $@.c
	$(QUIET_LD)$(CC) $(CFLAGS) -no-pie -o $@ $@.o $$(printf '%s\n' $(filter %.o,$^) | \
		grep -v "/$$(sed -n 's/^# file: \(.*\)c$$/\1/p' $<)o")

$(TESTS)/tool/perfdata/to_perf_data: $(BUILD)/selftests/tool/perfdata/to_perf_data.o $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

$(TESTS)/tool/perfetto/feed: $(BUILD)/selftests/tool/perfetto/feed.o \
		$(BUILD)/tool/view/perfetto.a $(TOOL_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(TOOL_GROUP)

include selftests/softpt/softpt.mk
softpt-tests: $(SPT_TESTS)

include selftests/fuzz/fuzz.mk

-include $(wildcard $(BUILD)/selftests/*.d $(BUILD)/selftests/*/*.d \
	$(BUILD)/selftests/tool/*/*.d $(BUILD)/selftests/model/module/*/*.d)

# --- auxview ---------------------------------------------------------------

VIEW_UNITS := $(addprefix $(TESTS)/tool/view/,list_flow test_stack test_switches test_folded test_keep \
	test_json)
$(VIEW_UNITS): $(TESTS)/tool/view/%: $(BUILD)/selftests/tool/view/%.o $(VIEW_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $< -Wl,--start-group $(VIEW_LINK) -Wl,--end-group $(VIEW_SYS)

# The cache of code, with a small limit
CODE_BLOCKS := -DMOST_BLOCKS=2
$(BUILD)/selftests/tool/view/code.o: tool/view/decode/code.c $(BUILD)/.view-flags
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(USER_FLAGS) $(CFLAGS) $(CPPFLAGS) $(VIEW_FLAGS) $(CODE_BLOCKS) -MMD -MP -c -o $@ $<
$(BUILD)/selftests/tool/view/test_code.o: CPPFLAGS += $(CODE_BLOCKS)
$(TESTS)/tool/view/test_code: $(BUILD)/selftests/tool/view/test_code.o \
		$(BUILD)/selftests/tool/view/code.o $(VIEW_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(VIEW_LINK) -Wl,--end-group $(VIEW_SYS)

# Bundles: a reader of sideband
$(TESTS)/tool/view/sideband: $(BUILD)/selftests/tool/view/sideband.o
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $< -lipt

# Programs whose call stacks are known. They read frame addresses on purpose (-Wno-frame-address).
VIEW_PROGRAMS := $(addprefix $(TESTS)/tool/view/programs/,stacks exceptions)
$(BUILD)/.host-view: selftests/setup/host
	@mkdir -p $(BUILD)
	@$(SETUP)/host tool view
	@touch $@

VIEW_PROGRAM_FLAGS := -Wall -Wextra -Wno-frame-address -O1 -g -static -finstrument-functions \
		      -fno-omit-frame-pointer -fno-optimize-sibling-calls
$(TESTS)/tool/view/programs/%: selftests/tool/view/programs/%.c selftests/tool/view/programs/path.h \
		| $(BUILD)/.host-view
	@mkdir -p $(@D)
	$(QUIET_CC)$(CC) $(VIEW_PROGRAM_FLAGS) -o $@ $<

$(TESTS)/tool/view/programs/%: selftests/tool/view/programs/%.cc selftests/tool/view/programs/path.h \
		| $(BUILD)/.host-view
	@mkdir -p $(@D)
	$(QUIET_CC)$(CXX) $(VIEW_PROGRAM_FLAGS) -o $@ $<

VIEW_TESTS := $(VIEW_UNITS) $(TESTS)/tool/view/test_code $(TESTS)/tool/view/sideband $(VIEW_PROGRAMS)
selftests: $(VIEW_TESTS)

# Pages of auxview
PAGE_LINK := $(BUILD)/tool/view/page.a $(BUILD)/tool/base.a
$(TESTS)/tool/page/feed: $(addprefix $(BUILD)/selftests/tool/page/,feed.o cases.o many.o) $(PAGE_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -o $@ $^ -lz
$(TESTS)/tool/page/test_output: $(BUILD)/selftests/tool/page/test_output.o $(PAGE_LINK)
	$(QUIET_LD)$(CC) $(CFLAGS) -Wl,--wrap=fclose -o $@ $^ -lz

.PHONY: bench-page
bench-page: $(TESTS)/tool/page/feed
	$(Q)selftests/bench/page

# Decoding beside stock perf, of a recording that is made in a VM of the newest of KERNELS
.PHONY: bench-view
bench-view: $(AUXREC) $(AUXVIEW) $(addprefix $(TESTS)/softpt/,work-static guest/decode)
	$(Q)selftests/build-kernel $(lastword $(KERNELS)) && \
		TIMES=$(TIMES) LARGE=$(LARGE) selftests/bench/view $(lastword $(KERNELS))
