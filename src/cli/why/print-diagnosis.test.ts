import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../diagnosis/index.ts';
import { printDiagnosis } from './print-diagnosis.ts';

const HOSTILE = '\u001b]0;owned\u0007\u009b2J\u202e\u007f\r';

/** A diagnosis in which every text is hostile. */
const diagnosis = {
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'Diagnosis',
  subject: { kind: 'pod', namespace: `ns${HOSTILE}`, name: `web${HOSTILE}`, uid: 'u', nodeName: `n${HOSTILE}` },
  state: `state ${HOSTILE}`,
  findings: [
    {
      id: 'x',
      severity: 'critical',
      says: `says ${HOSTILE}\nmore`,
      evidence: [{ source: 'log', container: `c${HOSTILE}`, line: `quote ${HOSTILE}` }],
      try: [`kubectl ${HOSTILE}`],
      manifest: `a: ${HOSTILE}\nb: 1\n`,
      pods: [`a${HOSTILE}`, 'b'],
    },
  ],
  notLookedAt: [`not ${HOSTILE}`],
} as unknown as Diagnosis;

describe('printDiagnosis', () => {
  it.each([true, false])('drives the terminal by nothing but its own colours: %s', (colours) => {
    const text = printDiagnosis(diagnosis, { now: 0, colours });
    // oxlint-disable-next-line no-control-regex
    const bare = text.replaceAll(/\u001b\[\d+m/g, '');
    expect(bare === text).toBe(!colours);
    // oxlint-disable-next-line no-control-regex
    expect(bare).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(bare.match(/\\u202e/g)?.length).toBeGreaterThanOrEqual(9);
    const lastErrors = [{ pod: `p${HOSTILE}`, container: `c${HOSTILE}`, line: `line ${HOSTILE}` }];
    expect(printDiagnosis({ ...diagnosis, findings: [], lastErrors }, { now: 0, colours })).not.toContain('\u202e');
  });

  it('tells the last error of one with which nothing is wrong, and not beside findings', () => {
    const lastErrors = [{ pod: 'web-1', container: 'web', line: 'no such table' }];
    const subject = { kind: 'pod', namespace: 'shop', name: 'web-1' };
    const given = { ...diagnosis, subject, state: 'Running', asWanted: true, lastErrors, notLookedAt: [] };
    const print = (findings: Diagnosis['findings']): string =>
      printDiagnosis({ ...given, findings }, { now: 0, colours: false });
    expect(print([])).toBe(
      'nothing is wrong with pod/web-1: Running\n      the last error in the log of web, after which it went on: no such table (kubectl -n shop logs web-1 -c web)\n',
    );
    expect(print(diagnosis.findings)).not.toContain('no such table');
  });
});
