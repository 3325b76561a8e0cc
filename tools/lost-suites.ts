/**
 * A reporter of Vitest that notes the test files whose process a fault of the machine ended: by SIGSEGV and the like, which no
 * code of ours can raise, as there is no native code among it. The file that `MENDLET_LOST_SUITES` names gets their list.
 */
import { writeFileSync } from 'node:fs';

/** What a fault inside of Node.js itself ends a process with. An end by memory or by `process.exit` is none of these. */
const FAULTS = /with signal (?:SIGSEGV|SIGTRAP|SIGILL|SIGBUS) .*while running test file (\S+)/;

/** Answers the test file whose process a fault ended, if that is what `error` tells. */
export function lostSuite(error: unknown): string | undefined {
  const cause: unknown = error instanceof Error || isRecord(error) ? Reflect.get(error, 'cause') : undefined;
  const text = isRecord(cause) ? String(cause['message']) : '';
  return FAULTS.exec(text)?.[1];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export default class LostSuites {
  onTestRunEnd(_modules: unknown, unhandledErrors: readonly unknown[]): void {
    const path = process.env['MENDLET_LOST_SUITES'];
    const lost = unhandledErrors.map(lostSuite);
    // One error that is anything else is a failure of its own, which no second run takes away.
    if (path === undefined || lost.length === 0 || lost.includes(undefined)) return;
    writeFileSync(path, JSON.stringify(lost));
  }
}
