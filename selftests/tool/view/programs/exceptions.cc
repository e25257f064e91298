// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that end by an exception, and names that must be demangled. Prints the call stacks, see
 * path.h.
 */
#include "path.h"

#define NOINLINE	__attribute__((noinline))

static volatile unsigned long sum;

namespace shapes {

struct error {
	int depth;
};

class guard {
public:
	NOINLINE ~guard() { sum++; }
};

template <typename T> NOINLINE void thrower(T n)
{
	guard g;

	if (!n)
		throw error{ 7 };
	thrower<T>(n - 1);
	sum++;
}

NOINLINE void leaf()
{
	sum++;
}

NOINLINE void rethrower(int n)
{
	try {
		thrower<int>(n);
	} catch (const error &) {
		leaf();
		throw;
	}
}

NOINLINE void catcher(int n)
{
	try {
		rethrower(n);
	} catch (const error &) {
		leaf();
	}
	leaf();
}

} /* namespace shapes */

int main()
{
	for (int i = 0; i < 4; i++)
		shapes::catcher(i);
	shapes::leaf();
	path_print();
	return 0;
}
