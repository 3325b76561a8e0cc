/** Node.js: dumps of errors, advice of npm, and warnings of the runtime. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const node: Dialect = {
  name: 'node',
  recognises:
    /^\s+at .*(?:node:|\.[cm]?[jt]sx?:\d+:\d+)|^Node\.js v\d|^npm (?:ERR!|error|notice|warn)|^node:internal|^\(node:\d+\)|<--- Last few GCs|\bPM2 +log: /,
  noise: anyOf(
    /^Node\.js v\d/,
    /^npm (?:ERR!|error|notice|warn)(?! Missing script| Missing: | `npm ci`| notarget| 404 | (?:\w+ )?(?:E[A-Z]{3,}: |Invalid |Could not |No matching|Unsupported|JSON))/,
    /^\(Use `node /,
    /^Error\.captureStackTrace/,
    /^["[]?(?:errno|code|syscall|address|port|severity|routine|hostname|path|requireStack|dest|clientVersion|length|file|line|detail|hint|position)["\]]?: /,
    /^throw /,
    /^\s*\^+$/,
    /^Thrown at:/,
    /^(?:> )?\S+@\d+\.\d+\.\d+ \w+/,
    /^> /,
    /^Emitted 'error' event/,
    /^error Command failed/,
    /^info Visit https/,
    /^---+ ?(?:JS|Native) stack/,
    /^<--- /,
    /^\d+: 0x/,
    /^\[\d+:0x/,
    /^Require stack:/,
    /^- \//,
    /^This error originated either by throwing/,
    /^triggerUncaughtException/,
    /^PM2 +(?:log|error|warn): /,
  ),
  consequence:
    /^(?:\[nodemon\]|npm error code|Unhandled promise rejection\b.*:?$|UnhandledPromiseRejectionWarning: This error)/,
  decisive: /^FATAL ERROR:|^npm (?:ERR!|error) (?:Missing script|(?:\w+ )?E[A-Z]{3,}: |Could not read|Invalid )/,
};
