#!/usr/bin/env node
/**
 * The program `mendlet`, bundled alone as dist/mendlet.js. It must parse and run on any Node.js, if only to say that it is
 * too old: so it imports nothing of ours and nothing recent before that is known.
 */
import { setFlagsFromString } from 'node:v8';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `mendlet: needs Node.js 24.15 or newer, and this is ${process.versions.node} (${process.execPath})\n`,
  );
  process.exit(1);
}

// Freed memory goes back to the system only if the C library asked for it page by page: from 16 KiB on instead of from
// 128 KiB, and for good, since the library raises that limit by itself. After an attack with large watches mendlet keeps
// 1.5 times its first memory with it, and 4.3 times without. The library reads it when a process starts, before any code of
// ours: so the verbs that run for long start themselves anew.
const LONG_VERBS = new Set(['up', 'server', 'agent', 'healer']);
const MARK = 'MENDLET_MALLOC_SET';
const malloc = { MALLOC_MMAP_THRESHOLD_: '16384', MALLOC_MMAP_MAX_: '60000' };
const { env } = process;
if (env[MARK] !== undefined) {
  // They are ours alone: no program that we start has a use for them.
  for (const name of [MARK, ...Object.keys(malloc)]) delete env[name];
} else if (
  LONG_VERBS.has(process.argv[2] ?? '') &&
  process.platform === 'linux' &&
  typeof process.execve === 'function' &&
  env['MALLOC_MMAP_THRESHOLD_'] === undefined
) {
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...(env as Record<string, string>),
    ...malloc,
    [MARK]: '1',
  });
}

// Under load V8 lets the young generation grow to many times what lives in it: with 40 pods made at once it takes mendlet
// from 155 MB of memory to 260 MB. This keeps it at its first size, with hardly more work (measured: 5.9 % of a core at
// rest for 5.4 %). The flag that is meant for it, --max-semi-space-size, is read before any code of ours runs.
setFlagsFromString('--semi-space-growth-factor=1');
// The same for the old generation: collect when it has grown by half, not by up to four times. After 2000 writes to 50 pods
// mendlet has 145 MiB with it and 152 to 171 without, for the same CPU time (3.5 and 3.7 s; without 3.6 and 4.4 s).
setFlagsFromString('--heap-growing-percent=50');

// Beside this file in dist/, and never part of this file: see above. Only the verbs that run for long need the code of server
// and agent, which takes most of the time of a start.
const program = LONG_VERBS.has(process.argv[2] ?? '') ? './program.js' : './commands.js';
void import(new URL(program, import.meta.url).href);
