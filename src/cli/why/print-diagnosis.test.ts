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
    expect(printDiagnosis({ ...diagnosis, findings: [] }, { now: 0, colours })).not.toContain('\u202e');
  });
});
