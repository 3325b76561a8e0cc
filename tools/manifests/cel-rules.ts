/**
 * Rules about our kinds that a schema alone cannot express, in CEL, by type or by type and field: the same as in our own
 * server's validation.
 */

export interface CelRule {
  readonly rule: string;
  readonly message: string;
}

const SPEC = 'mendlet.v1alpha1.PodRestartSpec';
const POLICY = 'mendlet.v1alpha1.HealingPolicySpec';
const VOLUMES = 'mendlet.v1alpha1.HealingVolumes';
const RUNG = 'mendlet.v1alpha1.HealingRung';
const CURVE = 'mendlet.v1alpha1.BackOffCurve';
const RULE = 'mendlet.v1alpha1.HealingRule';

const FIXED = [
  'podName',
  'podUID',
  'scope',
  'container',
  'notBefore',
  'reason',
  'gracePeriodSeconds',
  'force',
  'emptyDirs',
  'requestedBy',
];

const ORDER = "r.scope == 'container' ? 0 : r.scope == 'containers' ? 1 : r.scope == 'pod' ? 2 : 3";

/** Absent is fine: the rule of a field holds where the field is. */
function between(min: string, max: string): readonly CelRule[] {
  const rule = `duration(self) >= duration('${min}') && duration(self) <= duration('${max}')`;
  return [{ rule, message: `must be between ${min} and ${max}` }];
}

const EMPTY_DIRS: CelRule = {
  rule: "!has(self.emptyDirs) || size(self.emptyDirs) == 0 || (has(self.scope) && self.scope == 'pod')",
  message: 'emptyDirs: only scope pod may empty volumes',
};

export const CEL_RULES: Readonly<Record<string, readonly CelRule[]>> = {
  [SPEC]: [
    ...FIXED.map((name) => ({
      rule: `has(self.${name}) == has(oldSelf.${name}) && (!has(self.${name}) || self.${name} == oldSelf.${name})`,
      message: `${name}: field is immutable`,
    })),
    {
      rule: "has(self.container) == (has(self.scope) && self.scope == 'container')",
      message: 'container: needed with scope container, and only then',
    },
    EMPTY_DIRS,
  ],
  [`${POLICY}.rungs`]: [
    { rule: 'self.all(r, self.exists_one(o, o.scope == r.scope))', message: 'each scope may be there once' },
    {
      rule: `self.map(r, ${ORDER}).isSorted()`,
      message: 'rungs must be in the order container, containers, pod, node',
    },
  ],
  [`${POLICY}.resetAfter`]: between('1s', '24h'),
  [`${VOLUMES}.giveUpAfter`]: between('10s', '720h'),
  [RUNG]: [EMPTY_DIRS],
  [`${RUNG}.window`]: between('1s', '24h'),
  [`${CURVE}.initial`]: between('100ms', '1h'),
  [`${CURVE}.cap`]: between('100ms', '1h'),
  [`${CURVE}.resetAfter`]: between('1s', '24h'),
  [CURVE]: [
    {
      rule: '!has(self.initial) || !has(self.cap) || duration(self.cap) >= duration(self.initial)',
      message: 'cap: must not be less than initial',
    },
  ],
  [RULE]: [
    {
      rule: 'has(self.containers) || has(self.onExitCodes) || has(self.onOutOfMemory) || has(self.onProbeFailure)',
      message: 'at least one of containers, onExitCodes, onOutOfMemory and onProbeFailure',
    },
    {
      rule: "!has(self.rung) || (has(self.action) && self.action == 'Escalate')",
      message: 'rung: only with action Escalate',
    },
    {
      rule: "!has(self.backOff) || !has(self.action) || self.action == 'BackOff'",
      message: 'backOff: only with action BackOff',
    },
  ],
  [`${RULE}.onOutOfMemory`]: [{ rule: 'self', message: 'must be true, or left out' }],
};
