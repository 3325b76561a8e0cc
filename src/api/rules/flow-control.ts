/** The rules of the group flowcontrol.apiserver.k8s.io. */
import type { FlowSchema, PriorityLevelConfiguration } from '../types.gen.ts';
import { defaultFlowSchema, defaultPriorityLevel } from '../defaulting/flow-control.ts';
import { kindRules } from '../kind-rules.ts';
import {
  validateFlowSchema,
  validateFlowSchemaStatus,
  validatePriorityLevel,
  validatePriorityLevelStatus,
} from '../validation/flow-control.ts';
import { flowSchemaWarnings, priorityLevelWarnings } from '../warnings/unused.ts';

export const FLOW_SCHEMA_RULES = kindRules<FlowSchema>({
  create: validateFlowSchema,
  update: validateFlowSchema,
  parts: { status: validateFlowSchemaStatus },
  setDefaults: defaultFlowSchema,
  warnings: flowSchemaWarnings,
});

export const PRIORITY_LEVEL_RULES = kindRules<PriorityLevelConfiguration>({
  create: validatePriorityLevel,
  update: validatePriorityLevel,
  parts: { status: validatePriorityLevelStatus },
  setDefaults: defaultPriorityLevel,
  warnings: priorityLevelWarnings,
});
