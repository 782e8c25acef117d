#ifndef INSIDE_H
#define INSIDE_H

// All that hearthd knows of the inside of miniaudio: the first members of two of its
// structures. It needs them because malgo enters Go for each period and lets nobody put
// a callback in C in the place of its own, which costs half as much again as all else
// that capture does, and because malgo does not tell that a device is on its way from
// one state to another, when miniaudio must not be told to start or stop it.
//
// A version of miniaudio that has other members is found by
// TestMiniaudioIsLaidOutAsTheTapKnowsIt, which compiles testdata/inside.c against the
// miniaudio.h of the malgo in go.mod, and by packaging/deb.sh, which does so for each
// architecture. A program that was built without either works still: inside_started finds no device, so malgo's callback stays at its higher price,
// and nobody waits for a state.

#include <stdint.h>

struct device {
	void *context;
	int type;
	uint32_t rate;
	int state;
	void (*data)(struct device *, void *, const void *, uint32_t);
	void *notified, *stopped;
	void *user;
};

struct notification {
	struct device *device;
	int type;
};

// States of a device, of which INSIDE_NEVER is also that of one that is not laid out
// like this.
enum { INSIDE_NEVER, INSIDE_STOPPED, INSIDE_STARTED };

// inside_started is the device that n says has started, if it was given notified for
// its notifications and user data: it is laid out like this then. Else it is NULL.
static inline struct device *inside_started(const struct notification *n,
					    void (*notified)(const struct notification *))
{
	struct device *d = n->device;

	return n->type == 0 && d->notified == (void *)notified && d->user ? d : 0;
}

static inline int inside_state(const struct device *d)
{
	return d ? __atomic_load_n(&d->state, __ATOMIC_ACQUIRE) : INSIDE_NEVER;
}

#endif
