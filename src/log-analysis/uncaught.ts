/** What runtimes print of an error that nobody caught. Pure. */
import { beginning } from './any-of.ts';
import type { RoledLine } from './traces.ts';

/** The main thread has ended by it. */
const DEADLY = beginning(
  /Exception in thread "main" /,
  /Unhandled exception\. /,
  /panic: /,
  /fatal error: all goroutines /,
  /thread 'main' (?:\(\d+\) )?panicked/,
  /terminate called/,
  /(?:PHP )?Fatal error: {1,2}Uncaught /,
);
/** Ruby's frames of an error that nobody caught end at the top of the program. */
const RUBY_TOP = /^from \S{1,300}:\d+:in [`']<main>'$/;
const RUBY_ERROR = /^\S{1,300}:\d+:in [`'][^']{0,200}': /;

/** Python's trace of the main program, and no function of a thread or a request. */
const PYTHON_TRACE = /^Traceback \(most recent call last\):$/;
const PYTHON_TOP = /^File "[^"]{1,300}", line \d+, in <module>$/;

/** The numbers of traces that begin at the top of a Python program: none of them is about a request. */
export function tracesOfMain(roled: readonly RoledLine[]): ReadonlySet<number> {
  const found = roled.flatMap(({ trace, said }, position) =>
    trace !== undefined && PYTHON_TRACE.test(said) && PYTHON_TOP.test(roled[position + 1]?.said ?? '') ? [trace] : [],
  );
  return new Set(found);
}

/** The position of the last error that ended the main thread; -1: there is none. */
export function lastDeadly(roled: readonly RoledLine[]): number {
  let top = -1;
  for (let position = roled.length - 1; position >= 0; position--) {
    const line = roled[position];
    if (line === undefined || line.role === 'line') continue;
    if (DEADLY.test(line.said)) return position;
    if (RUBY_TOP.test(line.said)) top = line.trace ?? -1;
    if (top !== -1 && line.trace === top && RUBY_ERROR.test(line.said) && line.role === 'head') return position;
  }
  return -1;
}
