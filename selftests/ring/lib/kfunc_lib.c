// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs that call functions of a module, see kfunc_lib.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kfunc_lib.h"

char kfunc_log[1 << 16];

int kfunc_bpf(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

int kfunc_map(enum bpf_map_type type, uint32_t value_size, uint32_t entries)
{
	union bpf_attr attr = {
		.map_type = type,
		.key_size = type == BPF_MAP_TYPE_RINGBUF ? 0 : 4,
		.value_size = value_size,
		.max_entries = entries,
	};

	return kfunc_bpf(BPF_MAP_CREATE, &attr);
}

/* --- types ----------------------------------------------------------------- */

/* Return the whole length of a type, see include/uapi/linux/btf.h. */
static size_t type_size(const struct btf_type *t)
{
	const uint32_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(*t) + 4;
	case BTF_KIND_ARRAY:
		return sizeof(*t) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return sizeof(*t) + 12 * n;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return sizeof(*t) + 8 * n;
	default:
		return sizeof(*t);
	}
}

/* Call @fn for each type until @fn returns true. Return that type's id or 0. */
static int each_type(const struct kfunc_btf *btf,
		     bool (*fn)(void *ctx, const struct btf_type *t), void *ctx)
{
	const struct btf_header *h = (const void *)btf->data;
	const uint8_t *at = btf->data + h->hdr_len + h->type_off;
	const uint8_t *end = at + h->type_len;
	int id = btf->first_id;

	for (; at < end; id++) {
		const struct btf_type *t = (const void *)at;

		if (fn(ctx, t))
			return id;
		at += type_size(t);
	}
	return 0;
}

struct wanted {
	const struct kfunc_btf *btf;
	uint32_t kind;
	const char *name;
};

static bool is_wanted(void *ctx, const struct btf_type *t)
{
	const struct wanted *w = ctx;
	const struct btf_header *h = (const void *)w->btf->data;
	const char *strings = (const char *)w->btf->data + h->hdr_len +
			      h->str_off;

	/* Lower name offsets belong to the kernel's own types. */
	return BTF_INFO_KIND(t->info) == w->kind &&
	       t->name_off >= w->btf->first_string &&
	       !strcmp(strings + t->name_off - w->btf->first_string, w->name);
}

int kfunc_btf_find(const struct kfunc_btf *btf, uint32_t kind, const char *name)
{
	struct wanted w = { btf, kind, name };

	return each_type(btf, is_wanted, &w) ?: -ENOENT;
}

static bool count_type(void *ctx, const struct btf_type *t)
{
	(void)t;
	++*(uint32_t *)ctx;
	return false;
}

static int btf_info(int fd, struct bpf_btf_info *info)
{
	union bpf_attr attr = {
		.info.bpf_fd = fd,
		.info.info_len = sizeof(*info),
		.info.info = (unsigned long)info,
	};

	return kfunc_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* Read the types if they are those of @name. */
static int btf_read(struct kfunc_btf *btf, const char *name)
{
	char text[64] = "";
	struct bpf_btf_info info = {
		.name = (unsigned long)text,
		.name_len = sizeof(text),
	};
	uint32_t size;
	int ret = btf_info(btf->fd, &info);

	if (ret || !info.kernel_btf || strcmp(text, name))
		return ret ?: -ENOENT;
	size = info.btf_size;
	btf->data = malloc(size);
	if (!btf->data)
		return -ENOMEM;
	info = (struct bpf_btf_info){
		.btf = (unsigned long)btf->data,
		.btf_size = size,
	};
	return btf_info(btf->fd, &info);
}

static int btf_open_one(struct kfunc_btf *btf, const char *name)
{
	union bpf_attr attr = { };

	while (!kfunc_bpf(BPF_BTF_GET_NEXT_ID, &attr)) {
		union bpf_attr get = { .btf_id = attr.next_id };
		int ret;

		btf->fd = kfunc_bpf(BPF_BTF_GET_FD_BY_ID, &get);
		ret = btf->fd < 0 ? -ENOENT : btf_read(btf, name);
		if (ret != -ENOENT)
			return ret;
		if (btf->fd >= 0)
			close(btf->fd);
		btf->fd = -1;
		attr.start_id = attr.next_id;
	}
	return -ENOENT;
}

int kfunc_btf_open(struct kfunc_btf *btf, const char *name)
{
	struct kfunc_btf kernel;
	uint32_t types = 1;
	int ret;

	*btf = (struct kfunc_btf){ .fd = -1, .first_id = 1 };
	ret = btf_open_one(btf, name);
	if (ret || !strcmp(name, "vmlinux"))
		return ret;
	ret = kfunc_btf_open(&kernel, "vmlinux");
	if (ret)
		return ret;
	each_type(&kernel, count_type, &types);
	btf->first_id = types;
	btf->first_string = ((struct btf_header *)kernel.data)->str_len;
	kfunc_btf_close(&kernel);
	return 0;
}

void kfunc_btf_close(struct kfunc_btf *btf)
{
	if (btf->fd >= 0)
		close(btf->fd);
	free(btf->data);
	*btf = (struct kfunc_btf){ .fd = -1 };
}

/* --- programs -------------------------------------------------------------- */

void kfunc_code_add(struct kfunc_code *code, const struct bpf_insn *insns,
		    size_t size)
{
	if (size > sizeof(code->insns) - code->nr * sizeof(*insns))
		abort();
	memcpy(code->insns + code->nr, insns, size);
	code->nr += size / sizeof(*insns);
}

void kfunc_code_lookup(struct kfunc_code *code, int map)
{
	CODE(code,
	     CALL(BPF_FUNC_get_smp_processor_id),
	     STORE32(BPF_REG_10, -4, BPF_REG_0),
	     MAP(BPF_REG_1, map), UPPER(0),
	     MOV(BPF_REG_2, BPF_REG_10),
	     ADD(BPF_REG_2, -4),
	     CALL(BPF_FUNC_map_lookup_elem));
}

void kfunc_code_perf_output(struct kfunc_code *code, int map, uint32_t size)
{
	CODE(code,
	     MOV(BPF_REG_1, BPF_REG_6),
	     MAP(BPF_REG_2, map), UPPER(0),
	     /* BPF_F_CURRENT_CPU */
	     INSN(BPF_ALU | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, -1),
	     MOV(BPF_REG_4, BPF_REG_7),
	     SET(BPF_REG_5, size),
	     CALL(BPF_FUNC_perf_event_output));
}

void kfunc_code_ringbuf_output(struct kfunc_code *code, int map, uint32_t size)
{
	CODE(code,
	     MAP(BPF_REG_1, map), UPPER(0),
	     MOV(BPF_REG_2, BPF_REG_7),
	     SET(BPF_REG_3, size),
	     SET(BPF_REG_4, 0),
	     CALL(BPF_FUNC_ringbuf_output));
}

int kfunc_load(const struct kfunc_prog *prog)
{
	const int fds[] = { -1, prog->btf ? prog->btf->fd : -1 };
	union bpf_attr attr = {
		.prog_type = prog->type,
		.insns = (unsigned long)prog->code.insns,
		.insn_cnt = prog->code.nr,
		.license = (unsigned long)"GPL",
		.log_buf = (unsigned long)kfunc_log,
		.log_size = sizeof(kfunc_log),
		.log_level = 1,
		.prog_flags = prog->flags,
		.expected_attach_type = prog->attach_type,
		.fd_array = (unsigned long)fds,
	};

	if (prog->attach_id) {
		attr.attach_btf_id = prog->attach_id;
		/* The kernel's own types need no descriptor. */
		if (prog->attach_btf->first_id > 1)
			attr.attach_btf_obj_fd = prog->attach_btf->fd;
	}
	kfunc_log[0] = 0;
	return kfunc_bpf(BPF_PROG_LOAD, &attr);
}
