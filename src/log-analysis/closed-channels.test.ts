import { expect, it } from 'vitest';
import { readLog } from './read-log.ts';

const TIMED_OUT = 'PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 1800 ms';

it.each<[library: string, lines: readonly string[], has: RegExp]>([
  [
    'pika',
    [
      '2026-01-31 09:54:35,158 INFO encoder film-0.mov 40%',
      `2026-01-31 09:55:07,145 WARNING pika.channel Received remote Channel.Close (406): '${TIMED_OUT}' on <Channel number=1 OPEN conn=<SelectConnection OPEN>>`,
      '2026-01-31 09:55:17,165 INFO encoder film-0.mov 100%',
      'Traceback (most recent call last):',
      '  File "/app/encode.py", line 22, in cb',
      '    ch.basic_ack(m.delivery_tag)',
      '  File "/usr/lib/python3/dist-packages/pika/channel.py", line 1393, in _raise_if_not_open',
      "    raise exceptions.ChannelWrongStateError('Channel is closed.')",
      'pika.exceptions.ChannelWrongStateError: Channel is closed.',
    ],
    /Received remote Channel\.Close \(406\): 'PRECONDITION_FAILED .* 1800 ms'$/,
  ],
  [
    'amqp091-go',
    [
      "2026/01/31 09:55:07 broker: Exception (404) Reason: \"NOT_FOUND - no queue 'orders' in vhost '/'\"",
      '2026/01/31 09:55:09 order 7 taken',
      'panic: Exception (504) Reason: "channel/connection is not open"',
      '',
      'goroutine 1 [running]:',
      'main.main()',
      '\t/src/main.go:31 +0x1d',
    ],
    /NOT_FOUND - no queue 'orders'/,
  ],
  [
    'no reason told',
    ['2026-01-31 09:55:17,165 INFO encoder up', 'pika.exceptions.ChannelWrongStateError: Channel is closed.'],
    /ChannelWrongStateError: Channel is closed/,
  ],
])('%s', (_library, lines, has) => {
  expect(readLog(lines, { livedMs: 82_000 }).decisive?.line).toMatch(has);
});
