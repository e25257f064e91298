// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare spt_insn_decode() with Zydis: compare_insns MILLIONS DIR...
 *
 * It decodes the code of the ELF files below the directories, both as 64-bit and as
 * 32-bit code, up to MILLIONS million instructions each, and as many instructions
 * made of random bytes from a printed seed. Class, length and target must be the
 * same. spt_insn_length() must return the same length, or that it does not know the
 * instruction. Prints TAP.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "insn.h"
#include "../tap.h"

#define MAX_SHOWN	20
/* The most instructions of one file, so that many files are used */
#define MAX_EACH	30000

static const char *const names[] = {
	"other", "jump", "branch", "call", "indirect jump", "indirect call",
	"return", "far", "syscall", "pushf", "popf", "mov ss", "int3", "bad",
};

struct mode {
	const char *name;
	bool is64;
	ZydisDecoder decoder;
	u64 nr, differ, nr_files, lengths, unknown;
	u64 seen[SPT_BAD + 1];
};

static struct mode modes[2] = { { .name = "32-bit" }, { .name = "64-bit", .is64 = true } };
static u64 limit, seed;

/* Return the class for Zydis' names. */
static enum spt_insn_class class_of(const ZydisDecodedInstruction *z)
{
	bool far = z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
	bool direct = z->raw.imm[0].is_relative;

	/* Only Knights Corner has branches with VEX; ignore them. */
	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return SPT_OTHER;
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XEND:
		return SPT_OTHER;
	case ZYDIS_MNEMONIC_JMP:
		if (far)
			return SPT_FAR;
		return direct ? SPT_JUMP : SPT_JUMP_INDIRECT;
	case ZYDIS_MNEMONIC_CALL:
		if (far)
			return SPT_FAR;
		return direct ? SPT_CALL : SPT_CALL_INDIRECT;
	case ZYDIS_MNEMONIC_RET:
		return far ? SPT_FAR : SPT_RETURN;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_INTO:
		return SPT_FAR;
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_INT:
		return SPT_SYSCALL;
	case ZYDIS_MNEMONIC_INT3:
		return SPT_INT3;
	case ZYDIS_MNEMONIC_INT1:
		return SPT_BAD;
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFD:
	case ZYDIS_MNEMONIC_PUSHFQ:
		return SPT_PUSHF;
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFD:
	case ZYDIS_MNEMONIC_POPFQ:
		return SPT_POPF;
	case ZYDIS_MNEMONIC_LSS:
		return SPT_MOV_SS;
	case ZYDIS_MNEMONIC_POP:
		return z->opcode == 0x17 ? SPT_MOV_SS : SPT_OTHER;
	case ZYDIS_MNEMONIC_MOV:
		return z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
		       z->opcode == 0x8e && z->raw.modrm.reg == 2 ?
		       SPT_MOV_SS : SPT_OTHER;
	default:
		return z->meta.category == ZYDIS_CATEGORY_COND_BR ? SPT_BRANCH : SPT_OTHER;
	}
}

static enum spt_emulation emulation_of(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_SGDT:
	case ZYDIS_MNEMONIC_SIDT:
	case ZYDIS_MNEMONIC_SLDT:
	case ZYDIS_MNEMONIC_STR:
	case ZYDIS_MNEMONIC_SMSW:
		return SPT_UMIP;
	case ZYDIS_MNEMONIC_CLI:
	case ZYDIS_MNEMONIC_STI:
		return z->length == 1 ? SPT_IOPL : SPT_NOT_EMULATED;
	default:
		return SPT_NOT_EMULATED;
	}
}

static void expect(struct spt_insn *insn, const ZydisDecodedInstruction *z,
		   u64 ip, bool is64)
{
	*insn = (struct spt_insn){ .class = class_of(z) };
	switch (insn->class) {
	case SPT_OTHER:
		insn->emulation = emulation_of(z);
		if (z->mnemonic == ZYDIS_MNEMONIC_XBEGIN || insn->emulation)
			insn->length = z->length;
		return;
	case SPT_BAD:
		return;
	case SPT_JUMP:
	case SPT_BRANCH:
	case SPT_CALL:
		insn->target = ip + z->length + z->raw.imm[0].value.s;
		if (!is64)
			insn->target &= z->operand_width == 16 ? 0xffff : 0xffffffff;
		break;
	default:
		break;
	}
	insn->length = z->length;
}

static bool same(const struct spt_insn *a, const struct spt_insn *b)
{
	return a->class == b->class && a->length == b->length &&
	       a->target == b->target && a->emulation == b->emulation;
}

static void show(const struct mode *mode, const u8 *bytes, u64 ip,
		 const ZydisDecodedInstruction *z, const struct spt_insn *got,
		 const struct spt_insn *expected)
{
	if (mode->differ > MAX_SHOWN)
		return;
	printf("# %s %#" PRIx64 ":", mode->name, ip);
	for (int i = 0; i < z->length; i++)
		printf(" %02x", bytes[i]);
	printf(" %s: %s %u %#" PRIx64 ", not %s %u %#" PRIx64 "\n",
	       ZydisMnemonicGetString(z->mnemonic), names[got->class], got->length,
	       got->target, names[expected->class], expected->length,
	       expected->target);
}

static void compare_length(struct mode *mode, const u8 *bytes, size_t n, u64 ip,
			   const ZydisDecodedInstruction *z)
{
	unsigned int length = spt_insn_length(bytes, n, mode->is64);
	u8 *some = malloc(z->length - 1);
	unsigned int short_length;

	mode->lengths++;
	mode->unknown += !length;
	if (!some)
		err(2, "malloc");
	memcpy(some, bytes, z->length - 1);
	short_length = spt_insn_length(some, z->length - 1, mode->is64);
	free(some);
	if ((!length || length == z->length) && !short_length)
		return;
	if (mode->differ++ > MAX_SHOWN)
		return;
	printf("# %s %#" PRIx64 ":", mode->name, ip);
	for (int i = 0; i < z->length; i++)
		printf(" %02x", bytes[i]);
	printf(" %s: length %u, cut short %u\n", ZydisMnemonicGetString(z->mnemonic),
	       length, short_length);
}

/* Returns the length of the instruction, or 1 if Zydis says that it is none. */
static unsigned int compare(struct mode *mode, const u8 *bytes, size_t n, u64 ip)
{
	ZydisDecodedInstruction z;
	struct spt_insn got, expected;

	if (n > SPT_INSN_MAX)
		n = SPT_INSN_MAX;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&mode->decoder, NULL, bytes, n, &z)))
		return 1;
	spt_insn_decode(&got, bytes, n, ip, mode->is64);
	expect(&expected, &z, ip, mode->is64);
	mode->nr++;
	mode->seen[got.class]++;
	if (!same(&got, &expected)) {
		mode->differ++;
		show(mode, bytes, ip, &z, &got, &expected);
	}
	if (expected.class == SPT_OTHER)
		compare_length(mode, bytes, n, ip, &z);
	/* If it is cut short, it must be bad, and no byte after it may be read. */
	if (expected.class != SPT_OTHER && expected.class != SPT_BAD) {
		u8 *some = malloc(z.length - 1);

		if (!some)
			err(2, "malloc");
		memcpy(some, bytes, z.length - 1);
		spt_insn_decode(&got, some, z.length - 1, ip, mode->is64);
		if (got.class != SPT_BAD || !got.cut) {
			if (mode->differ++ < MAX_SHOWN)
				printf("# cut short at %#" PRIx64 " it is %s\n", ip,
				       names[got.class]);
		}
		free(some);
	}
	return z.length;
}

static void compare_code(const u8 *bytes, size_t size, u64 ip)
{
	for (int m = 0; m < 2; m++) {
		u64 end = modes[m].nr + MAX_EACH;

		for (size_t at = 0; at < size && modes[m].nr < limit && modes[m].nr < end;)
			at += compare(&modes[m], bytes + at, size - at,
				      modes[m].is64 ? ip + at : (u32)(ip + at));
	}
}

static void compare_file(const u8 *file, size_t size)
{
	const Elf64_Ehdr *ehdr = (const void *)file;

	if (size < sizeof(*ehdr) || memcmp(file, ELFMAG, SELFMAG) ||
	    ehdr->e_ident[EI_CLASS] != ELFCLASS64 || ehdr->e_machine != EM_X86_64 ||
	    ehdr->e_shentsize != sizeof(Elf64_Shdr) || ehdr->e_shoff % 8 ||
	    ehdr->e_shoff > size ||
	    ehdr->e_shnum > (size - ehdr->e_shoff) / sizeof(Elf64_Shdr))
		return;
	for (int i = 0; i < ehdr->e_shnum; i++) {
		const Elf64_Shdr *shdr = (const Elf64_Shdr *)(file + ehdr->e_shoff) + i;

		if (shdr->sh_type == SHT_PROGBITS && shdr->sh_flags & SHF_EXECINSTR &&
		    shdr->sh_offset <= size && shdr->sh_size <= size - shdr->sh_offset)
			compare_code(file + shdr->sh_offset, shdr->sh_size, shdr->sh_addr);
	}
	modes[0].nr_files++;
	modes[1].nr_files++;
}

static void compare_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	void *file;

	if (fd < 0)
		return;
	if (!fstat(fd, &stat) && stat.st_size) {
		file = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			compare_file(file, stat.st_size);
			munmap(file, stat.st_size);
		}
	}
	close(fd);
}

/* splitmix64 */
static u64 rnd(void)
{
	u64 z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Random bytes, often after prefixes and opcodes that matter. */
static void compare_random(struct mode *mode)
{
	static const u8 likely[] = {
		0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x3e, 0x40, 0x48, 0x4f, 0x0f, 0xff,
		0xe8, 0xe9, 0xeb, 0xc2, 0xc3, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf,
		0x9a, 0xea, 0x9c, 0x9d, 0x8e, 0x17, 0xf1, 0xc7, 0xf8, 0x05, 0x34,
		0xb2, 0x74, 0x84, 0xe0, 0xe3, 0xc4, 0xc5, 0x62, 0x8f,
	};
	u8 bytes[SPT_INSN_MAX];
	u64 ip = rnd();

	if (!mode->is64)
		ip = (u32)ip;
	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = rnd() % 4 ? likely[rnd() % sizeof(likely)] : rnd();
	compare(mode, bytes, sizeof(bytes), ip);
}

static void report(const char *what)
{
	for (int m = 0; m < 2; m++) {
		printf("# %s:", modes[m].name);
		for (int class = 0; class <= SPT_BAD; class++)
			printf(" %s %" PRIu64 "%s", names[class], modes[m].seen[class],
			       class < SPT_BAD ? "," : "\n");
		tap_report(!modes[m].differ && modes[m].nr >= limit / 2,
			   "%s: %" PRIu64 " %s instructions, %" PRIu64 " differ", what,
			   modes[m].nr, modes[m].name, modes[m].differ);
		printf("# %s: lengths not known: %" PRIu64 " of %" PRIu64 "\n",
		       modes[m].name, modes[m].unknown, modes[m].lengths);
		modes[m].nr = 0;
		modes[m].differ = 0;
		modes[m].lengths = 0;
		modes[m].unknown = 0;
		memset(modes[m].seen, 0, sizeof(modes[m].seen));
	}
}

int main(int argc, char **argv)
{
	FTSENT *entry;
	FTS *fts;

	if (argc < 3)
		errx(2, "usage: [SEED=N] compare_insns MILLIONS DIR...");
	limit = strtoull(argv[1], NULL, 0) * 1000000;
	seed = strtoull(getenv("SEED") ?: "1", NULL, 0);
	ZydisDecoderInit(&modes[0].decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
	ZydisDecoderInit(&modes[1].decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	puts("TAP version 13");
	fts = fts_open(argv + 2, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	if (!fts)
		err(2, "%s", argv[2]);
	while ((entry = fts_read(fts)) && (modes[0].nr < limit || modes[1].nr < limit))
		if (entry->fts_info == FTS_F)
			compare_path(entry->fts_path);
	fts_close(fts);
	printf("# %" PRIu64 " files\n", modes[0].nr_files);
	report("files");
	printf("# seed %" PRIu64 "\n", seed);
	for (int m = 0; m < 2; m++)
		for (u64 i = 0; i < 4 * limit && modes[m].nr < limit; i++)
			compare_random(&modes[m]);
	report("random");
	return tap_end();
}
