/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf(2), for which libc has no function. auxrec does not use libbpf: version 1.0 removed the
 * function that reads all arrays of a program's bpf_prog_info, and auxrec needs few other calls.
 */
#ifndef AUXREC_BPF_SYS_H
#define AUXREC_BPF_SYS_H

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Return the result of the system call, or -errno. */
static inline int bpf_sys(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

/*
 * Set @id to the id of the program that follows program @id, or of the first one if @id is 0.
 * Return 0 or -errno.
 */
static inline int bpf_next_prog(__u32 *id)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = *id;
	err = bpf_sys(BPF_PROG_GET_NEXT_ID, &attr);
	if (!err)
		*id = attr.next_id;
	return err;
}

/* @cmd: BPF_PROG_GET_FD_BY_ID or BPF_BTF_GET_FD_BY_ID */
static inline int bpf_fd_by_id(int cmd, __u32 id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	return bpf_sys(cmd, &attr);
}

static inline int bpf_get_info(int fd, void *info, __u32 len)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = fd;
	attr.info.info_len = len;
	attr.info.info = (unsigned long)info;
	return bpf_sys(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

#endif /* AUXREC_BPF_SYS_H */
