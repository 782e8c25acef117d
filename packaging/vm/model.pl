#!/usr/bin/perl
# Speaks what hearthd uses of Ollama's protocol, and always says the same.
use strict;
use warnings;
use IO::Socket::INET;

my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 11434, Listen => 16, ReuseAddr => 1) or die "listen: $!";
while (my $client = $listen->accept) {
	my ($length, $body) = (0, '');
	my $request = <$client> // next;
	while (defined(my $line = <$client>)) {
		last if $line =~ /^\r?$/;
		$length = $1 if $line =~ /^content-length: *(\d+)/i;
	}
	read $client, $body, $length;
	my ($model) = $body =~ /"model":"([^"]*)"/;
	my $answer = '{"version": "0.24.0", "models": [], "capabilities": ["completion", "tools"], "details": {"family": "llama"}, "model_info": {"general.architecture": "llama"}}';
	if ($request =~ m{/api/chat}) {
		my $text = $body !~ /"messages":\[\{/ ? '' # the model is to be loaded
			: $body =~ /"format":\{/ ? '{\"notes\": [\"The cook likes jar ' . int(rand 1e6) . '.\"], \"topics\": [\"jars\"]}'
			: 'That is because of the salt.';
		$answer = qq({"model": "$model", "created_at": "2026-11-22T00:00:00Z", "message": {"role": "assistant", "content": "$text"}, "done": true, "done_reason": "stop", "prompt_eval_count": 200, "eval_count": 8});
	}
	print $client "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " . (1 + length $answer) . "\r\n\r\n$answer\n";
	close $client;
}
