/** Tests what is told of variables of fields that their pod does not have. */
import { describe } from 'vitest';
import { crashed, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from '../../rules/cases/cases.fixtures.ts';

const ended = (fieldPath: string, metadata: object, ...lines: readonly string[]) =>
  ({
    pod: pod({
      container: { env: [{ name: 'APP_VERSION', valueFrom: { fieldRef: { fieldPath } } }] },
      metadata,
      status: crashed({ exitCode: 2 }),
    }),
    logs: lastWords(...lines),
  }) satisfies Partial<PodEvidence>;
const LABEL = "metadata.labels['version']";
const EMPTY = 'fatal: APP_VERSION must not be empty';

describe('a variable of a field', () => {
  tellsEach([
    [
      'that is called otherwise',
      ended(LABEL, { labels: { app: 'tracer', 'app.kubernetes.io/version': '2.3.1' } }, EMPTY),
      'missing-setting',
      /^container web lacks the environment variable APP_VERSION, which is empty, as its pod has no label version \(it has app\.kubernetes\.io\/version\)$/,
    ],
    [
      'that is spelt otherwise',
      ended("metadata.annotations['acme.io/release']", { annotations: { 'acme.io/relase': '7' } }, EMPTY),
      'missing-setting',
      /as its pod has no annotation acme\.io\/release \(it has acme\.io\/relase\)$/,
    ],
    [
      'of which the program says no more than that it cannot read it',
      ended(LABEL, { labels: { app: 'tracer' } }, 'ValueError: APP_VERSION is not a version: ""'),
      'exit-code',
      /; its variable APP_VERSION is empty, as its pod has no label version \(exit code 2\)$|; its variable APP_VERSION is empty, as its pod has no label version$/,
    ],
    [
      'that is there',
      ended(LABEL, { labels: { version: '2' } }, EMPTY),
      'missing-setting',
      /^container web lacks the environment variable APP_VERSION$/,
    ],
  ]);
});
