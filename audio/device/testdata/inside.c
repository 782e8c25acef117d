// Compiles if miniaudio is laid out as inside.h has it.
#include <stddef.h>

#include "miniaudio.h"

#include "../inside.h"

#define SAME(member, theirs) \
	_Static_assert(offsetof(struct device, member) == offsetof(ma_device, theirs) && \
		sizeof(((struct device *)0)->member) == sizeof(((ma_device *)0)->theirs), #theirs " of ma_device has moved")
SAME(context, pContext);
SAME(type, type);
SAME(rate, sampleRate);
SAME(state, state);
SAME(data, onData);
SAME(notified, onNotification);
SAME(stopped, onStop);
SAME(user, pUserData);

_Static_assert(offsetof(struct notification, device) == offsetof(ma_device_notification, pDevice) &&
	offsetof(struct notification, type) == offsetof(ma_device_notification, type), "ma_device_notification has changed");
_Static_assert(ma_device_notification_type_started == 0, "the notification of a start has changed");
_Static_assert(ma_device_state_uninitialized == INSIDE_NEVER && ma_device_state_stopped == INSIDE_STOPPED &&
	ma_device_state_started == INSIDE_STARTED, "the states of ma_device have changed");
_Static_assert(MA_VERSION_MAJOR == 0 && MA_VERSION_MINOR == 11 && MA_VERSION_REVISION == 25,
	"another version: see whether it still notifies on the device thread before its first data callback, hands on "
	"the negative result of a read, and logs what stream.go reads from its log, then write its number here");
