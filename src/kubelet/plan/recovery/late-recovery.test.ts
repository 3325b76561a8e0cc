import { describe, expect, it } from 'vitest';
import { DEPENDS_ON, HEALING_POLICY } from '../../../api/index.ts';
import { testPod } from '../plan.fixtures.ts';
import { hasLateRecovery } from './late-recovery.ts';

describe('who recovers early', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['nobody who did not ask', {}, false],
    ['who has a policy', { [HEALING_POLICY]: '{}' }, true],
    ['whose policy says Always, in YAML', { [HEALING_POLICY]: 'lateRecovery: Always' }, true],
    ['whose policy does not say Never', { [HEALING_POLICY]: 'lateRecovery: Never' }, false],
    ['who names a dependency', { [DEPENDS_ON]: 'service/db' }, true],
    ['who names none that is one', { [DEPENDS_ON]: 'database' }, false],
    ['Never is never', { [HEALING_POLICY]: 'lateRecovery: Never', [DEPENDS_ON]: 'service/db' }, false],
    ['a policy that cannot be read is none', { [HEALING_POLICY]: 'lateRecovery: Sometimes' }, false],
    ['not even then', { [HEALING_POLICY]: '{', [DEPENDS_ON]: 'service/db' }, true],
  ])('%s', (_, annotations, expected) => expect(hasLateRecovery(testPod({}, { annotations }))).toBe(expected));
});
