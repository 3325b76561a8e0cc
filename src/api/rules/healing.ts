/** The rules of the group mendlet.dev. */
import { defaultPodRestart } from '../defaulting/healing.ts';
import { kindRules } from '../kind-rules.ts';
import { METADATA_FIELDS } from '../selectable-fields.ts';
import {
  validateHealingPolicy,
  validateHealingPolicyStatus,
  validateHealingPolicyUpdate,
  validatePodRestart,
  validatePodRestartStatus,
  validatePodRestartUpdate,
} from '../validation/healing.ts';

export const POD_RESTART_RULES = kindRules({
  create: validatePodRestart,
  update: validatePodRestartUpdate,
  parts: { status: validatePodRestartStatus },
  setDefaults: defaultPodRestart,
  selectable: [...METADATA_FIELDS, 'spec.podName', 'status.phase'],
});

export const HEALING_POLICY_RULES = kindRules({
  create: validateHealingPolicy,
  update: validateHealingPolicyUpdate,
  parts: { status: validateHealingPolicyStatus },
});
