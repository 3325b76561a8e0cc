/** Orders the suites: those that take minutes come first, so that no worker runs one alone at the end. */
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first; all others are shorter and follow in any order. */
const LONG: readonly string[] = [
  'upgrade',
  'streams',
  'why',
  'survival',
  'cluster-workloads',
  'cluster-services',
  'command-line',
  'restart',
  'ladder',
  'restart-verb',
  'healing',
  'csi',
  'services',
  'examples',
  'databases',
  'node-care',
  'jobs',
  'node-conformance',
  'dns',
  'host-ports',
  'ownership',
  'deployments',
  'stateful',
  'late-recovery',
  'images',
  'claims',
  'claims-down',
  'lost-nodes',
  'local-volumes',
  'healing-moves',
  'black-box',
  'cluster',
  'healer',
  'pod-shapes',
  'soak',
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
