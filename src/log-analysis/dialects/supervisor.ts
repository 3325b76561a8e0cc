/** supervisord: it tells of programs that it cannot start with level INFO; that it gives one up follows from that. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const supervisor: Dialect = {
  name: 'supervisor',
  recognises: /\bsupervisord started with pid \d|\bINFO spawned: '/,
  noise: anyOf(
    /^Supervisor is running as root/,
    /^(?:Server|Unlinking stale socket|RPC interface) /,
    /^supervisord started with pid/,
    /^waiting for \S+ to die/,
    /^killing '\S+' \(\d+\) with/,
    /^stopped: /,
    /^spawned: /,
  ),
  consequence: /^gave up: \S+ entered FATAL state|^exited: \S+ \(/,
  decisive: /^spawnerr: /,
};
