/*
 * testcard: an ALSA external I/O plugin that behaves like a sound card.
 *
 * It has its own clock (CLOCK_MONOTONIC at a fixed rate, with a drift on
 * command), so whoever reads or writes it is paced as by hardware. What it
 * captures comes from a FIFO or a file of raw mono S16; what it plays goes to a
 * file of raw mono S16. A control file breaks it on command.
 *
 * In one thing it is kinder than hardware: when its user is late, the clock waits,
 * and no sound is lost. A test must not fail because the machine is busy; an
 * overrun or underrun happens on command only.
 *
 *     pcm.testcard { type testcard
 *         rate 48000  channels 1          the only rate and width that it has
 *         infile "microphone"             what there is at the moment of a read
 *                                         is captured, the rest is silence
 *         outfile "speaker.raw"           appended to as it is played
 *         capture_fault "capture.fault"   control files, one line each
 *         playback_fault "playback.fault"
 *         room 1 }                        the microphone hears the speaker
 *
 * A card in a room has one clock for both directions, as real cards have, or the way
 * of the echo would change whenever one user is late and the other is not. It waits
 * for the slower of them, and for a microphone whose writer is late.
 *
 * Between the clock and the user is a ring of mono samples, as DMA memory is on a
 * real card: the clock moves sound between the ring and the file, a transfer
 * copies to or from the ring and may be repeated, which libasound does. As on a
 * USB card the clock moves in packets of 1 ms, and as from its driver an
 * interrupt comes at the end of each period and at no other time: whoever polls is
 * woken once per period.
 *
 * A control file is mapped into memory. Its line is looked at in every poll,
 * pointer and transfer, which costs no system call:
 *
 *     ok         healthy
 *     nodev      gone: poll says POLLERR for ever, opening fails with ENODEV
 *     unplug     gone: poll says ready and POLLERR for ever, transfers and
 *                opening fail with ENODEV
 *     busy       somebody else has it: opening fails with EBUSY
 *     eio        poll says ready, every transfer fails with EIO
 *     stall      the clock stands still
 *     hang       a transfer blocks until the line changes
 *     xrun N     one overrun or underrun each time that N changes
 *     fast N     the clock runs N times as fast
 *     drift P    the clock runs P parts per million fast (negative: slow)
 *
 * Locking: libasound calls everything here under the lock of the PCM.
 */
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum fault { OK, NODEV, UNPLUG, BUSY, EIO_ALWAYS, STALL, HANG };

#define SECOND 1000000000LL
#define PACKETS 1000 /* per second */
#define LINE 64      /* bytes of the control file that are looked at */
#define FAULT_POLL (SECOND / 20) /* how soon a changed line is seen when nothing else happens */
#define MAX_CHANNELS 2
#define AIR (1 << 14) /* samples of the speaker that are still in the room */

/* A clock stood at sample frame `anchor` at time `anchor_ns` and goes on from there at
 * rate * speed while it has a user. */
struct clock {
	pthread_mutex_t mutex;
	struct card *user[2]; /* that runs, by stream: playback comes first */
	int64_t anchor_ns;
	double anchor;
	double speed; /* 1 is nominal */
	uint64_t hw;  /* sample frames that passed the converter */
	int16_t *air; /* what the speaker played in them, or NULL outside of a room */
};

/* What comes straight from the speaker, and three walls, by sample frames of delay. */
static const struct { unsigned delay; double gain; } ways[] = {
	{ 4800, 0.2 }, { 5110, 0.1 }, { 5797, -0.07 }, { 7211, 0.04 }
};

static int16_t air[AIR];
static struct clock room = { .mutex = PTHREAD_MUTEX_INITIALIZER, .speed = 1, .air = air };

struct card {
	snd_pcm_ioplug_t io;
	int timer; /* timerfd, readable from an interrupt on until it is set again */
	int sound; /* infile or outfile */

	const char *control; /* the mapped control file, or NULL */
	char line[LINE];     /* what it said, and what that means: */
	enum fault fault;
	long xruns;   /* N of the last "xrun N" */
	bool xrun;    /* one is due */

	struct clock own, *clock; /* own or the room's */

	uint64_t hw;   /* sample frames that passed the converter since prepare */
	int16_t *ring; /* io.buffer_size samples; frame n is at n modulo that */
	snd_pcm_uframes_t avail_min, boundary;
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static bool is_capture(const struct card *c)
{
	return c->io.stream == SND_PCM_STREAM_CAPTURE;
}

static bool running(const struct card *c)
{
	return c->clock->user[c->io.stream] == c;
}

/* Where the clock is, in sample frames. */
static double position(const struct clock *k, unsigned rate)
{
	if (!k->user[0] && !k->user[1])
		return k->anchor;
	return k->anchor + (double)(now_ns() - k->anchor_ns) / SECOND * rate * k->speed;
}

/* Moves the anchor to now, so that a change of speed or of users does not bend the past. */
static void anchor_clock(struct clock *k, unsigned rate)
{
	k->anchor = position(k, rate);
	k->anchor_ns = now_ns();
}

/* Applies what the control file says. */
static void read_fault(struct card *c)
{
	char word[16] = "";
	double value = 0, speed = 1;
	enum fault fault = OK;

	if (!c->control || !memcmp(c->line, c->control, LINE - 1))
		return;
	memcpy(c->line, c->control, LINE - 1); /* the last byte stays zero */
	sscanf(c->line, "%15s %lf", word, &value);

	if (!strcmp(word, "nodev")) fault = NODEV, speed = 0;
	else if (!strcmp(word, "unplug")) fault = UNPLUG, speed = 0;
	else if (!strcmp(word, "busy")) fault = BUSY;
	else if (!strcmp(word, "eio")) fault = EIO_ALWAYS;
	else if (!strcmp(word, "stall")) fault = STALL, speed = 0;
	else if (!strcmp(word, "hang")) fault = HANG;
	else if (!strcmp(word, "fast")) speed = value;
	else if (!strcmp(word, "drift")) speed = 1 + value * 1e-6;
	else if (!strcmp(word, "xrun") && c->xruns != (long)value) {
		c->xruns = (long)value;
		c->xrun = true;
	}
	if (speed != c->clock->speed) {
		anchor_clock(c->clock, c->io.rate);
		c->clock->speed = speed;
	}
	c->fault = fault;
}

/* Sample frames between the converter and the user: captured and not read, or
 * written and not played. Both positions wrap at the boundary. */
static uint64_t filled(const struct card *c)
{
	uint64_t hw = c->hw % c->boundary, appl = c->io.appl_ptr;
	return is_capture(c) ? (hw + c->boundary - appl) % c->boundary
			     : (appl + c->boundary - hw) % c->boundary;
}

/* Sample frames that the user can read or write now. */
static uint64_t available(const struct card *c)
{
	return is_capture(c) ? filled(c) : c->io.buffer_size - filled(c);
}

/* Records n sample frames. Where the infile has none, it is silent. */
static void record(struct card *c, uint64_t n)
{
	while (n > 0) {
		uint64_t at = c->hw % c->io.buffer_size, k = c->io.buffer_size - at;
		if (k > n)
			k = n;
		/* A writer that writes whole samples never leaves half of one. */
		ssize_t got = read(c->sound, c->ring + at, k * sizeof *c->ring);
		if (got < 0)
			got = 0;
		memset((char *)(c->ring + at) + got, 0, k * sizeof *c->ring - (size_t)got);
		c->hw += k;
		n -= k;
	}
}

/* Plays n sample frames of the ring. */
static void play(struct card *c, uint64_t n)
{
	while (n > 0) {
		uint64_t at = c->hw % c->io.buffer_size, k = c->io.buffer_size - at;
		if (k > n)
			k = n;
		if (write(c->sound, c->ring + at, k * sizeof *c->ring) < 0)
			SNDERR("testcard: write outfile: %s", strerror(errno));
		c->hw += k;
		n -= k;
	}
}

/* Takes n sample frames through the room: speaker is NULL when nothing plays, and
 * microphone when nothing records. They have passed the converters. */
static void sound(struct clock *k, const struct card *speaker, const struct card *microphone, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = k->hw + i;
		k->air[at % AIR] = speaker ? speaker->ring[(speaker->hw - n + i) % speaker->io.buffer_size] : 0;
		if (!microphone)
			continue;
		int16_t *heard = &microphone->ring[(microphone->hw - n + i) % microphone->io.buffer_size];
		double sum = *heard;
		for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
			sum += ways[w].gain * k->air[(at - ways[w].delay) % AIR];
		*heard = (int16_t)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
	}
}

/* Sample frames for which the clock need not wait for c. In a room it waits for a user
 * that is two periods late, so that the two directions stay where they were. */
static uint64_t room_of(const struct card *c)
{
	uint64_t used = filled(c), free = c->io.buffer_size - used, most = 2 * c->io.period_size;
	int waiting = 0;

	if (!c->clock->air)
		return is_capture(c) ? free : used;
	if (!is_capture(c))
		return used + most > c->io.buffer_size ? used + most - c->io.buffer_size : 0;
	if (ioctl(c->sound, FIONREAD, &waiting) < 0)
		return 0;
	free = used < most ? most - used : 0;
	return free < waiting / sizeof *c->ring ? free : waiting / sizeof *c->ring;
}

static uint64_t packet(const struct card *c)
{
	return c->io.rate / PACKETS;
}

static uint64_t round_up(uint64_t n, uint64_t step)
{
	return (n + step - 1) / step * step;
}

/* Brings the converters of the clock up to the last packet, and no further than the
 * rings allow: the clock waits for a user that is late. */
static void advance(struct card *c)
{
	struct clock *k = c->clock;
	pthread_mutex_lock(&k->mutex);
	double at = position(k, c->io.rate);
	uint64_t target = at > 0 ? (uint64_t)at / packet(c) * packet(c) : 0;
	uint64_t n = target > k->hw ? target - k->hw : 0, most = n;
	for (int i = 0; i < 2; i++)
		if (k->user[i] && room_of(k->user[i]) < most)
			most = room_of(k->user[i]);
	k->anchor -= (double)(n - most);
	struct card *speaker = k->user[SND_PCM_STREAM_PLAYBACK], *microphone = k->user[SND_PCM_STREAM_CAPTURE];
	if (speaker)
		play(speaker, most);
	if (microphone)
		record(microphone, most);
	if (k->air)
		sound(k, speaker, microphone, most);
	k->hw += most;
	pthread_mutex_unlock(&k->mutex);
}

/* Sets the timer to the first end of a period at which avail_min sample frames will
 * be available, without taken that are now, or to at once if they are already. */
static void arm(struct card *c, uint64_t taken, bool at_once)
{
	int64_t wake = 1; /* long past: readable at once */
	uint64_t avail = available(c);
	avail = avail > taken ? avail - taken : 0;
	if (!at_once && avail < c->avail_min) {
		int64_t latest = now_ns() + FAULT_POLL;
		wake = latest;
		struct clock *k = c->clock;
		if (k->speed > 0) {
			uint64_t left = round_up(c->hw + (c->avail_min - avail), c->io.period_size) - c->hw;
			uint64_t end = round_up(k->hw + left, packet(c));
			wake = k->anchor_ns + (int64_t)((end - k->anchor) / (c->io.rate * k->speed) * SECOND) + 1000;
		}
		if (wake > latest)
			wake = latest;
	}
	struct itimerspec it = { .it_value = { wake / SECOND, wake % SECOND } };
	timerfd_settime(c->timer, TFD_TIMER_ABSTIME, &it, NULL);
}

/* Errors that a card which is gone gives to every call. */
static int gone(const struct card *c)
{
	return c->fault == NODEV || c->fault == UNPLUG ? -ENODEV : 0;
}

/* Joins c to the users of its clock, which begins with the first. */
static void join(struct card *c)
{
	struct clock *k = c->clock;
	pthread_mutex_lock(&k->mutex);
	if (!k->user[0] && !k->user[1]) {
		k->hw = 0;
		k->anchor = 0;
		k->anchor_ns = now_ns();
		if (k->air)
			memset(k->air, 0, AIR * sizeof *k->air);
	}
	k->user[c->io.stream] = c;
	pthread_mutex_unlock(&k->mutex);
}

static void leave(struct card *c)
{
	struct clock *k = c->clock;
	pthread_mutex_lock(&k->mutex);
	if (running(c)) {
		anchor_clock(k, c->io.rate);
		k->user[c->io.stream] = NULL;
	}
	pthread_mutex_unlock(&k->mutex);
}

static int card_prepare(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	read_fault(c);
	leave(c);
	c->hw = 0;
	return gone(c);
}

static int card_start(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	read_fault(c);
	if (gone(c))
		return gone(c);
	join(c);
	arm(c, 0, false);
	return 0;
}

static int card_stop(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	struct itimerspec never = { 0 };
	if (!is_capture(c))
		advance(c); /* what was heard up to now */
	leave(c);
	timerfd_settime(c->timer, 0, &never, NULL);
	return 0;
}

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	read_fault(c);
	advance(c);
	if (c->xrun && running(c)) {
		c->xrun = false;
		return -EPIPE;
	}
	return (snd_pcm_sframes_t)(c->hw % c->boundary);
}

static int16_t *sample(const snd_pcm_channel_area_t *area, snd_pcm_uframes_t frame)
{
	return (int16_t *)((char *)area->addr + (area->first + area->step * frame) / 8);
}

static snd_pcm_sframes_t card_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
				       snd_pcm_uframes_t off, snd_pcm_uframes_t size)
{
	struct card *c = io->private_data;
	read_fault(c);
	while (c->fault == HANG) {
		usleep(10000);
		read_fault(c);
	}
	if (gone(c))
		return gone(c);
	if (c->fault == EIO_ALWAYS)
		return -EIO;
	/* off is a place in the user's own block or, with mmap access, in libasound's
	 * copy of the ring. */
	for (snd_pcm_uframes_t i = 0; i < size; i++) {
		int16_t *mono = &c->ring[(io->appl_ptr + i) % io->buffer_size];
		int sum = 0;
		for (unsigned ch = 0; ch < io->channels; ch++) {
			if (is_capture(c))
				*sample(&areas[ch], off + i) = *mono;
			else
				sum += *sample(&areas[ch], off + i);
		}
		if (!is_capture(c))
			*mono = (int16_t)(sum / (int)io->channels);
	}
	if (io->access == SND_PCM_ACCESS_RW_INTERLEAVED)
		arm(c, size, false);
	return (snd_pcm_sframes_t)size;
}

static int card_revents(snd_pcm_ioplug_t *io, struct pollfd *pfd, unsigned int nfds, unsigned short *revents)
{
	struct card *c = io->private_data;
	unsigned short ready = is_capture(c) ? POLLIN : POLLOUT;
	(void)pfd;
	(void)nfds;
	read_fault(c);
	switch (c->fault) {
	case NODEV:
		*revents = POLLERR;
		break;
	case UNPLUG:
		*revents = ready | POLLERR;
		break;
	case EIO_ALWAYS:
		*revents = ready;
		break;
	default: {
		/* Not our own numbers: this also moves the stream to XRUN. */
		snd_pcm_sframes_t avail = snd_pcm_avail_update(io->pcm);
		if (avail < 0)
			*revents = ready | POLLERR;
		else
			*revents = (snd_pcm_uframes_t)avail >= c->avail_min ? ready : 0;
		/* With mmap access nothing tells when the user takes what is ready. Until
		 * the next interrupt nothing wakes one who takes less than a period. */
		arm(c, *revents ? io->period_size : 0, avail < 0);
		return 0;
	}
	}
	arm(c, 0, true); /* poll spins, as it does on a dead card */
	return 0;
}

static int card_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params)
{
	struct card *c = io->private_data;
	(void)params;
	free(c->ring);
	c->ring = calloc(io->buffer_size, sizeof *c->ring);
	return c->ring ? 0 : -ENOMEM;
}

static int card_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params)
{
	struct card *c = io->private_data;
	int err = snd_pcm_sw_params_get_avail_min(params, &c->avail_min);
	return err < 0 ? err : snd_pcm_sw_params_get_boundary(params, &c->boundary);
}

static int card_close(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	leave(c);
	if (c->sound >= 0)
		close(c->sound);
	if (c->control)
		munmap((void *)c->control, LINE);
	if (c->timer >= 0)
		close(c->timer);
	free(c->ring);
	free(c);
	return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
	.start = card_start,
	.stop = card_stop,
	.pointer = card_pointer,
	.transfer = card_transfer,
	.close = card_close,
	.prepare = card_prepare,
	.hw_params = card_hw_params,
	.sw_params = card_sw_params,
	.poll_revents = card_revents,
};

/* The fields of the pcm definition. */
struct fields {
	const char *infile, *outfile, *capture_fault, *playback_fault;
	long rate, channels, room;
};

static int read_fields(snd_config_t *conf, struct fields *f)
{
	snd_config_iterator_t i, next;
	snd_config_for_each(i, next, conf) {
		snd_config_t *n = snd_config_iterator_entry(i);
		const char *id;
		int err = snd_config_get_id(n, &id);
		if (err < 0 || !strcmp(id, "type") || !strcmp(id, "comment") || !strcmp(id, "hint"))
			continue;
		if (!strcmp(id, "infile")) err = snd_config_get_string(n, &f->infile);
		else if (!strcmp(id, "outfile")) err = snd_config_get_string(n, &f->outfile);
		else if (!strcmp(id, "capture_fault")) err = snd_config_get_string(n, &f->capture_fault);
		else if (!strcmp(id, "playback_fault")) err = snd_config_get_string(n, &f->playback_fault);
		else if (!strcmp(id, "rate")) err = snd_config_get_integer(n, &f->rate);
		else if (!strcmp(id, "room")) err = snd_config_get_integer(n, &f->room);
		else if (!strcmp(id, "channels")) err = snd_config_get_integer(n, &f->channels);
		else err = -EINVAL;
		if (err < 0) {
			SNDERR("testcard: bad field %s", id);
			return err;
		}
	}
	if (f->rate < 8000 || f->rate > 192000 || f->channels < 1 || f->channels > MAX_CHANNELS) {
		SNDERR("testcard: rate or channels out of range");
		return -EINVAL;
	}
	return 0;
}

static int open_files(struct card *c, const struct fields *f, snd_pcm_stream_t stream)
{
	struct stat st;
	bool in = stream == SND_PCM_STREAM_CAPTURE;
	const char *control = in ? f->capture_fault : f->playback_fault;
	if (control) {
		int fd = open(control, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		void *line = mmap(NULL, LINE, PROT_READ, MAP_SHARED, fd, 0);
		close(fd);
		if (line == MAP_FAILED)
			return -errno;
		c->control = line;
	}
	read_fault(c);
	if (gone(c))
		return gone(c);
	if (c->fault == BUSY)
		return -EBUSY;
	if (in && f->infile) /* not blocking: a FIFO that nobody writes is silent */
		c->sound = open(f->infile, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	else if (!in && f->outfile)
		c->sound = open(f->outfile, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	else
		return -ENOENT; /* this card has no such direction */
	if (c->sound < 0)
		return -errno;
	if (in && !fstat(c->sound, &st) && S_ISFIFO(st.st_mode)) { /* what was said before is not heard */
		char scrap[4096];
		for (int i = 0; i < 256 && read(c->sound, scrap, sizeof scrap) > 0; i++)
			;
	}
	c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	return c->timer < 0 ? -errno : 0;
}

static int constrain(snd_pcm_ioplug_t *io, const struct fields *f)
{
	static const unsigned int access[] = { SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED };
	static const unsigned int format[] = { SND_PCM_FORMAT_S16 };
	int err = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, format);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, f->channels, f->channels);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, f->rate, f->rate);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 128, 1 << 16);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 512, 1 << 18);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
	return err;
}

SND_PCM_PLUGIN_DEFINE_FUNC(testcard)
{
	struct fields f = { .rate = 48000, .channels = 1 };
	(void)root;
	int err = read_fields(conf, &f);
	if (err < 0)
		return err;
	struct card *c = calloc(1, sizeof *c);
	if (!c)
		return -ENOMEM;
	c->timer = c->sound = -1;
	c->own = (struct clock){ .mutex = PTHREAD_MUTEX_INITIALIZER, .speed = 1 };
	c->clock = f.room ? &room : &c->own;
	c->avail_min = c->boundary = 1;
	c->io.version = SND_PCM_IOPLUG_VERSION;
	c->io.name = "hearthd test card";
	c->io.flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
	c->io.callback = &callbacks;
	c->io.private_data = c;

	err = open_files(c, &f, stream);
	if (err < 0) {
		card_close(&c->io);
		return err;
	}
	c->xrun = false; /* of an earlier life */
	c->io.poll_fd = c->timer;
	c->io.poll_events = POLLIN;
	err = snd_pcm_ioplug_create(&c->io, name, stream, mode);
	if (err < 0) {
		card_close(&c->io);
		return err;
	}
	err = constrain(&c->io, &f);
	if (err < 0) {
		snd_pcm_ioplug_delete(&c->io);
		return err;
	}
	*pcmp = c->io.pcm;
	return 0;
}

SND_PCM_PLUGIN_SYMBOL(testcard);
