/**
 * Test files that were lost by a fault of a program that is not ours. A reporter of Vitest notes those whose process ended by SIGSEGV
 * and the like, which no code of ours can raise, as there is no native code among it: the file that `MENDLET_LOST_SUITES` names
 * gets their list. Those whose Chromium ended are told from the report.
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

/** A test file in the report of Vitest. */
export interface ReportedFile {
  readonly name: string;
  /** Of a file that failed outside of its tests. */
  readonly message?: string;
  readonly assertionResults: readonly { readonly status: string; readonly failureMessages?: readonly string[] }[];
}

/** What a test says whose Chromium has ended, or a page of it, without being asked to. */
const ENDED = /Target (?:page, context or browser has been closed|crashed|closed)|Page crashed/;

/** Answers the test files that failed by nothing but the end of their browser: each failure says that it is gone. */
export function withoutBrowser(files: readonly ReportedFile[]): readonly string[] {
  return files.flatMap(({ name, message = '', assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    // What fails in a hook is told of the file alone.
    const said = [...failed.map(({ failureMessages }) => failureMessages?.join(' ') ?? ''), message].filter(Boolean);
    return said.length > 0 && said.every((each) => ENDED.test(each)) ? [name] : [];
  });
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
