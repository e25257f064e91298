// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that gets the signals of storm: stormed ROUNDS SEED
 *
 * Its threads and children compute, ask the kernel and wait, with a handler of each
 * kind. It ends by itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS		2
#define STACK		65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sum;
static int never[2];	/* a pipe that nobody writes to */
static char **args;

static __thread sigjmp_buf place;
static __thread volatile sig_atomic_t may_jump;
static __thread char other_stack[STACK];

static unsigned long __attribute__((noinline)) recurse(unsigned int n)
{
	return n ? recurse(n - 1) + n : 1;
}

static void on_count(int sig)
{
	sum += sig;
}

static void on_info(int sig, siginfo_t *info, void *context)
{
	(void)context;
	sum += recurse(sig % 30) + info->si_value.sival_int;
}

static void on_calls(int sig)
{
	struct timespec now;
	int saved = errno;

	clock_gettime(sig & 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
	sum += now.tv_nsec + getppid();
	errno = saved;
}

static void on_jump(int sig)
{
	sum += sig;
	if (!may_jump)
		return;
	may_jump = 0;
	siglongjmp(place, 1);
}

static void handle_all(void)
{
	struct sigaction act = {};
	int i;

	sigfillset(&act.sa_mask);
	act.sa_handler = on_count;
	sigaction(SIGUSR1, &act, NULL);
	act.sa_handler = on_jump;
	sigaction(SIGUSR2, &act, NULL);
	act.sa_handler = on_calls;
	sigaction(SIGALRM, &act, NULL);
	act.sa_flags = SA_RESTART;
	sigaction(SIGIO, &act, NULL);
	act.sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK;
	act.sa_sigaction = on_info;
	sigaction(SIGVTALRM, &act, NULL);
	for (i = 0; i < 4; i++) {
		/* One handler within the other */
		if (i == 2) {
			sigemptyset(&act.sa_mask);
			act.sa_flags = SA_SIGINFO | SA_NODEFER;
		}
		sigaction(SIGRTMIN + i, &act, NULL);
	}
}

static void compute(unsigned int n)
{
	if (!sigsetjmp(place, 1)) {
		may_jump = 1;
		sum += recurse(n);
		may_jump = 0;
	}
}

static void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void rounds(unsigned int n, unsigned int *seed, int children);

static void child(unsigned int n, unsigned int *seed, int execute)
{
	char left[16], number[16];
	pid_t pid;

	snprintf(left, sizeof(left), "%u", n / 4);
	snprintf(number, sizeof(number), "%u", *seed);
	pid = execute ? vfork() : fork();
	if (!pid && execute) {
		execl("/proc/self/exe", args[0], left, number, NULL);
		_exit(1);
	}
	if (!pid) {
		/* A thread of the parent, which the child does not have, may have held the lock. */
		pthread_mutex_init(&lock, NULL);
		rounds(n / 4, seed, 0);
		_exit(0);
	}
	wait_for(pid);
}

static void one(unsigned int n, unsigned int *seed, int children)
{
	struct timespec little = { .tv_nsec = rand_r(seed) % 300000 };
	struct pollfd nothing = { .fd = never[0], .events = POLLIN };
	sigset_t all, before;

	switch (rand_r(seed) % (children ? 10 : 8)) {
	case 0:
	case 1:
		compute(rand_r(seed) % 100);
		break;
	case 2:
		nanosleep(&little, NULL);
		break;
	case 3:
		ppoll(&nothing, 1, &little, NULL);
		break;
	case 4:
		clock_gettime(CLOCK_MONOTONIC, &little);
		sum += little.tv_nsec;
		break;
	case 5:
		/*
		 * A handler that leaves by a jump must not do so while the lock is
		 * held.
		 */
		pthread_mutex_lock(&lock);
		sum += recurse(20);
		pthread_mutex_unlock(&lock);
		break;
	case 6:
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		sum += recurse(80) + getpid();
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		break;
	case 7:
		/* After a stop, poll() continues with restart_syscall(). */
		poll(&nothing, 1, 1);
		break;
	case 8:
	case 9:
		child(n, seed, rand_r(seed) % 2);
		break;
	}
}

static void rounds(unsigned int n, unsigned int *seed, int children)
{
	unsigned int left;

	for (left = n; left; left--)
		one(left, seed, children);
}

static void use_other_stack(void)
{
	const stack_t stack = { .ss_sp = other_stack, .ss_size = STACK };

	sigaltstack(&stack, NULL);
}

static void *thread(void *arg)
{
	unsigned int seed = (uintptr_t)arg;

	use_other_stack();
	rounds(atoi(args[1]), &seed, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int seed, i;
	pthread_t id[THREADS];

	if (argc != 3)
		return 2;
	args = argv;
	seed = atoi(argv[2]);
	if (pipe(never))
		return 2;
	use_other_stack();
	handle_all();
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&id[i], NULL, thread, (void *)(uintptr_t)(seed + i)))
			return 2;
	rounds(atoi(argv[1]), &seed, atoi(argv[1]) > 4);
	for (i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	return 0;
}
