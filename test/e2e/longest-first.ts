/** Orders the suites: those that take minutes come first, so that no worker runs one alone at the end. */
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first; all others are shorter and follow in any order. */
const LONG: readonly string[] = [
  'cluster-workloads',
  'survival',
  'healing',
  'restart-verb',
  'cluster-services',
  'examples',
  'streams',
  'ownership',
  'deployments',
  'jobs',
  'databases',
  'services',
  'stateful',
  'claims-down',
  'upgrade',
  'restart',
  'why',
  'lost-nodes',
  'claims',
  'local-volumes',
  'healing-moves',
  'black-box',
  'node-care',
  'cluster',
  'pod-shapes',
  'soak',
  'node-conformance',
];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG.indexOf(basename(moduleId, '.e2e.test.ts'));
      return at === -1 ? LONG.length : at;
    };
    return files.toSorted((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}
