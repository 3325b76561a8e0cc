/** .NET: the end of the line holds the root: "A: … ---> B: …". */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const dotnet: Dialect = {
  name: 'dotnet',
  recognises: anyOf(
    /^Unhandled exception\. /,
    /^\s+at [\w.`<>]+\(.*\) in \S+:line \d+/,
    /^\s*--- End of /,
    /^(?:info|fail|crit|warn|dbug): [\w.]+\[\d+\]/,
    /^You must install or update \.NET/,
    /^\s+at (?:System|Microsoft)\./,
  ),
  noise: anyOf(
    /^--- End of (?:inner exception|stack trace)/,
    /^Hosting environment: /,
    /^Content root path: /,
    /^Application is shutting down/,
    /^Hosting failed to start$/,
    /^Learn (?:more|about)/,
    /^To install missing/,
    /^https:\/\/aka\.ms/,
    /^The following frameworks were found/,
    /^App host version/,
    /^App: /,
    /^Architecture: /,
  ),
  recovery: /^(?:Now listening on: |Application started\.)/,
  decisive: /^Unhandled exception\. |^Framework: |^You must install or update/,
};
