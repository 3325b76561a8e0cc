/**
 * The real event loop with the guard against real input: while a simulation runs, a call of a real clock, timer, random source
 * or file from our own code throws `DeterminismViolation` with its stack. Calls of the test runner pass.
 */
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import timers from 'node:timers';
import { type DeterminismGuard, DeterminismViolation, type EventLoop } from './event-loop.ts';

const realSetImmediate = setImmediate;
/** `…/src/`, the path of our own code in stack frames. */
const OURS = `${import.meta.dirname.slice(0, import.meta.dirname.lastIndexOf(sep))}${sep}`;

/** Frames that are not simulated: this file, and tests around a run. */
const NOT_SIMULATED = [import.meta.filename, '.test.ts'];

type Callable = (...args: never[]) => unknown;
type Owner = Record<string, unknown>;

export const realEventLoop: EventLoop = {
  turn: () => new Promise((resolve) => realSetImmediate(resolve)),
  guard: beginGuard,
};

/** Guards of the running simulations in this process: the first installs the poisoned functions, the last removes them. */
const guards = new Set<{ first: DeterminismViolation | undefined }>();
let lift: (() => void) | undefined;

function beginGuard(): DeterminismGuard {
  const guard: { first: DeterminismViolation | undefined } = { first: undefined };
  const before = countResources();
  guards.add(guard);
  lift ??= layPoison();
  return {
    violation: () => {
      const found = guard.first;
      guard.first = undefined;
      return found;
    },
    pending: () => newResources(before),
    release: () => {
      guards.delete(guard);
      if (guards.size > 0) return;
      lift?.();
      lift = undefined;
    },
  };
}

function check(what: string): void {
  const violation = new DeterminismViolation(`simulated code called ${what}`);
  const frames = (violation.stack ?? '').split('\n').slice(1);
  const ours = frames.some((frame) => frame.includes(OURS) && !NOT_SIMULATED.some((name) => frame.includes(name)));
  if (!ours) return;
  for (const guard of guards) guard.first ??= violation;
  throw violation;
}

/** Replaces real functions by ones that throw. @returns a function that restores them */
function layPoison(): () => void {
  const restore: (() => void)[] = [];
  const poison = (owner: object, name: string, label = name): void => {
    const holder = owner as Owner;
    const real = holder[name];
    if (typeof real !== 'function') return;
    holder[name] = function poisoned(this: unknown, ...args: never[]): unknown {
      check(label);
      return (real as Callable).apply(this, args);
    };
    restore.push(() => {
      holder[name] = real;
    });
  };
  poisonGlobals(poison, restore);
  for (const name of fsNames(fs)) poison(fs, name, `fs.${name}`);
  for (const name of fsNames(fsPromises)) poison(fsPromises, name, `fs.promises.${name}`);
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) poison(timers, name, `timers.${name}`);
  syncBuiltinESMExports();
  return () => {
    for (const undo of restore.toReversed()) undo();
    syncBuiltinESMExports();
  };
}

function poisonGlobals(poison: (owner: object, name: string, label?: string) => void, restore: (() => void)[]): void {
  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'fetch']) poison(globalThis, name);
  poison(Math, 'random', 'Math.random');
  poison(performance, 'now', 'performance.now');
  for (const name of ['randomUUID', 'getRandomValues']) poison(crypto, name, `crypto.${name}`);
  const RealDate = Date;
  const guarded = new Proxy(RealDate, {
    construct: (target, args, newTarget) => {
      if (args.length === 0) check('new Date()');
      return Reflect.construct(target, args, newTarget) as object;
    },
    apply: () => {
      check('Date()');
      return RealDate();
    },
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'now') return value;
      return () => {
        check('Date.now');
        return RealDate.now();
      };
    },
  });
  globalThis.Date = guarded;
  restore.push(() => {
    globalThis.Date = RealDate;
  });
}

function fsNames(module: object): readonly string[] {
  return Object.keys(module).filter((name) => {
    const value: unknown = (module as Owner)[name];
    return typeof value === 'function' && /^[a-z]/.test(name);
  });
}

/** Resources that do not count as leaks: our turns are Immediates, and the test runner's channels come and go. */
const NOT_OURS = new Set(['Immediate', 'MessagePort', 'CloseReq', 'Timeout', 'TTYWrap', 'PipeWrap']);

function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (!NOT_OURS.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function newResources(before: ReadonlyMap<string, number>): readonly string[] {
  return [...countResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind);
}
