/** Ruby: backtraces, bundler and puma. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const ruby: Dialect = {
  name: 'ruby',
  recognises:
    /\.rb:\d+:in [`']|^\s+from \S+:\d+|^Puma starting|^bundler: |^=> Booting|\/bin\/(?:ruby|rails|bundle|puma)\b/,
  noise: anyOf(
    /^\s*from \S+:\d+/,
    /^\.\.\. \d+ levels/,
    /^Run `(?:bundle|bin)/,
    /^=> (?:Booting|Rails|Run|Ctrl)/,
    /^Exiting$/,
    /^Tasks: TOP/,
    /^\(See full trace/,
    /^rails aborted!$/,
    /^bin\/rails aborted!$/,
    /^rake aborted!$/,
    /^Did you mean\?/,
    /^Use Ctrl-C to stop/,
  ),
  consequence:
    /^(?:bundler: failed to load command|! Unable to (?:load application|start worker)|Early termination of worker)/,
  recovery: /^\* Listening on |^Worker \d+ \(PID: \d+\) booted|WEBrick::HTTPServer#start/,
};
