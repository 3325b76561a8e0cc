/**
 * Rules about our kinds that a schema alone cannot express, in CEL, by type or by type and field. They say what validation says of a
 * policy in an annotation (`healing/validate-policy.ts`): a test holds one against the other.
 */

export interface CelRule {
  readonly rule: string;
  readonly message: string;
  /** For the part of the message that depends on the object. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueForbidden' | 'FieldValueRequired';
  /** The field that is to blame, within the value that the rule is about. */
  readonly fieldPath?: string;
}

const RESTART = 'mendlet.v1alpha1.PodRestart';
const SPEC = 'mendlet.v1alpha1.PodRestartSpec';
const POLICY = 'mendlet.v1alpha1.HealingPolicySpec';
const VOLUMES = 'mendlet.v1alpha1.HealingVolumes';
const RUNG = 'mendlet.v1alpha1.HealingRung';
const CURVE = 'mendlet.v1alpha1.BackOffCurve';
const RULE = 'mendlet.v1alpha1.HealingRule';
const TARGET = 'mendlet.v1.NotificationTarget';
const HEADER = 'mendlet.v1.NotificationHeader';
const NOTIFICATION = 'mendlet.v1.NotificationSpec';
const CLUSTER_NOTIFICATION = 'mendlet.v1.ClusterNotificationSpec';

/** All of a restart's spec but how long the object is kept. */
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

const EMPTY_DIRS: readonly CelRule[] = [
  {
    rule: "!has(self.emptyDirs) || size(self.emptyDirs) == 0 || (has(self.scope) && self.scope == 'pod')",
    message: 'only scope "pod" may empty volumes',
    reason: 'FieldValueForbidden',
    fieldPath: '.emptyDirs',
  },
  {
    rule: "!has(self.emptyDirs) || size(self.emptyDirs) <= 1 || !self.emptyDirs.exists(name, name == '*')",
    message: '"*" means all, and stands alone',
    fieldPath: '.emptyDirs',
  },
];

const ENDED =
  "has(oldSelf.status) && has(oldSelf.status.phase) && (oldSelf.status.phase == 'Succeeded' || oldSelf.status.phase == 'Failed')";

/** One of two fields, and not both. */
function either(one: string, other: string): readonly CelRule[] {
  return [
    {
      rule: `has(self.${one}) || has(self.${other})`,
      message: `or ${other}`,
      reason: 'FieldValueRequired',
      fieldPath: `.${one}`,
    },
    {
      rule: `!has(self.${one}) || !has(self.${other})`,
      message: `only without ${one}`,
      reason: 'FieldValueForbidden',
      fieldPath: `.${other}`,
    },
  ];
}

/** Fields of the spec of both kinds of notifications. */
function notificationRules(type: string): Readonly<Record<string, readonly CelRule[]>> {
  return {
    [`${type}.patience`]: between('1s', '24h'),
    [`${type}.groupWait`]: between('0s', '1h'),
    [`${type}.repeatAfter`]: between('1m', '720h'),
    [`${type}.damping`]: between('0s', '24h'),
  };
}

export const CEL_RULES: Readonly<Record<string, readonly CelRule[]>> = {
  [RESTART]: [
    {
      rule: `!(${ENDED}) || (has(self.status) && has(self.status.phase) && self.status.phase == oldSelf.status.phase)`,
      message: 'is over: it stays as it ended',
      messageExpression: "'is over: it stays ' + oldSelf.status.phase",
      fieldPath: '.status.phase',
    },
  ],
  [SPEC]: [
    ...FIXED.map((name) => ({
      rule: `has(self.${name}) == has(oldSelf.${name}) && (!has(self.${name}) || self.${name} == oldSelf.${name})`,
      message: 'field is immutable',
      fieldPath: `.${name}`,
    })),
    {
      rule: "!has(self.scope) || self.scope != 'container' || has(self.container)",
      message: 'scope "container" needs the name of one',
      reason: 'FieldValueRequired',
      fieldPath: '.container',
    },
    {
      rule: "!has(self.container) || (has(self.scope) && self.scope == 'container')",
      message: 'only with scope "container"',
      reason: 'FieldValueForbidden',
      fieldPath: '.container',
    },
    ...EMPTY_DIRS,
  ],
  [POLICY]: [
    {
      rule: "!has(self.rules) || self.rules.all(x, !has(x.rung) || (has(self.rungs) ? self.rungs.exists(r, r.scope == x.rung) : x.rung == 'container' || x.rung == 'pod'))",
      message: 'rung: must be one of the rungs of this policy',
      fieldPath: '.rules',
    },
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
  [RUNG]: EMPTY_DIRS,
  [`${RUNG}.window`]: between('1s', '24h'),
  [`${CURVE}.initial`]: between('100ms', '1h'),
  [`${CURVE}.cap`]: between('100ms', '1h'),
  [`${CURVE}.resetAfter`]: between('1s', '24h'),
  [CURVE]: [
    {
      rule: '!has(self.initial) || !has(self.cap) || duration(self.cap) >= duration(self.initial)',
      message: 'must not be less than initial',
      fieldPath: '.cap',
    },
  ],
  [RULE]: [
    {
      rule: 'has(self.containers) || has(self.onExitCodes) || has(self.onOutOfMemory) || has(self.onProbeFailure)',
      message: 'at least one of containers, onExitCodes, onOutOfMemory and onProbeFailure',
      reason: 'FieldValueRequired',
    },
    {
      rule: "!has(self.rung) || (has(self.action) && self.action == 'Escalate')",
      message: 'only with action "Escalate"',
      reason: 'FieldValueForbidden',
      fieldPath: '.rung',
    },
    {
      rule: "!has(self.backOff) || !has(self.action) || self.action == 'BackOff'",
      message: 'only with action "BackOff"',
      reason: 'FieldValueForbidden',
      fieldPath: '.backOff',
    },
  ],
  [TARGET]: either('url', 'urlFrom'),
  [HEADER]: either('value', 'valueFrom'),
  ...notificationRules(NOTIFICATION),
  ...notificationRules(CLUSTER_NOTIFICATION),
  [`${RULE}.onOutOfMemory`]: [{ rule: 'self', message: 'must be true, or left out' }],
};
