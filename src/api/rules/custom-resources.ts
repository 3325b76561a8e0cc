/** The rules of definitions of custom resources. */
import { setDefinitionDefaults } from '../custom-resources/definition.ts';
import {
  validateDefinition,
  validateDefinitionStatus,
  validateDefinitionUpdate,
} from '../custom-resources/validate-definition.ts';
import { definitionWarnings } from '../custom-resources/definition-warnings.ts';
import { kindRules } from '../kind-rules.ts';

export const CUSTOM_RESOURCE_DEFINITION_RULES = kindRules({
  create: validateDefinition,
  update: validateDefinitionUpdate,
  parts: { status: validateDefinitionStatus },
  setDefaults: setDefinitionDefaults,
  selectable: ['metadata.name'],
  warnings: definitionWarnings,
});
