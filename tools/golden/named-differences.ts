/**
 * Names the answers that differ from the golden ones on purpose. Each name covers some questions (`questionOf`), and every
 * question that it covers must still differ; agreeing ones must be removed.
 */
export interface NamedDifference {
  readonly covers: RegExp;
  /** Its row in docs/kubernetes-differences.md says the same to users. */
  readonly reason: string;
}

const POD = '(?:Pod|Deployment) (?:spec\\.template\\.)?';

export const NAMED_DIFFERENCES: readonly NamedDifference[] = [
  {
    covers: new RegExp(`^${POD}spec\\.(?:initC|c)ontainers\\[\\d\\]\\.lifecycle\\.stopSignal = ""$`),
    reason: 'lifecycle.stopSignal is heeded; upstream drops it while its gate is closed.',
  },
  {
    covers: /^StatefulSet spec\.updateStrategy\.rollingUpdate\.maxUnavailable = (?:0|"")$/,
    reason: 'maxUnavailable of stateful sets is heeded and checked; upstream drops it while its gate is closed.',
  },
  {
    covers: new RegExp(
      `^${POD}spec\\.volumes\\[9\\]\\.ephemeral\\.volumeClaimTemplate\\.metadata\\.(?:ownerReferences|finalizers|managedFields) = \\[\\]$`,
    ),
    reason:
      'An empty list is absence already when objects are checked: where a list may not be set, an empty one is taken.',
  },
  {
    covers:
      /^HorizontalPodAutoscaler spec\.behavior\.scale(?:Up|Down)\.policies = \[\]$|^Pod(?:#\w+)? spec\.overhead = \{\}$|^Pod#host spec\.resources\.claims = \[\]$|^Pod#windows spec\.securityContext\.supplementalGroups = \[\]$/,
    reason:
      'An empty list is absence already when objects are checked: where a list may not be set, an empty one is taken.',
  },
  {
    covers: /^CustomResourceDefinition#selectable .*\.(?:dependencies|openAPIV3Schema\.default) = \{\}$/,
    reason:
      'An empty map is absence already when a definition is checked, and so is an empty default of the whole object.',
  },
  {
    covers:
      /^CustomResourceDefinition spec\.versions\[0\]\.schema\.openAPIV3Schema\.(?:.*dependencies = \{\}|(?:patternProperties|definitions) = \{\}|(?:enum|allOf|oneOf|anyOf|x-kubernetes-list-map-keys) = \[\]|.*\.anyOf\[0\]\.(?:required|x-kubernetes-list-map-keys|x-kubernetes-validations) = \[\]|.*\.anyOf\[0\]\.properties = \{\})$/,
    reason: 'An empty map or list is absence already when a definition is checked.',
  },
  {
    covers: /^CustomResourceDefinition .*\.additionalProperties\.default = \{\}$/,
    reason: 'A default must be a value of its schema, also in a map.',
  },
  {
    covers:
      /(?:capacity\[storage\] = "\\"(?:9223372036854775808|1234567890123456789012)|example\.com\/dev\] = "\\"(?:7Ei|1234567890123456789012))\\""$/,
    reason:
      'Amounts beyond 2⁶³ are amounts like others; upstream counts some of them past its end, and calls them negative or no integers.',
  },
  {
    covers: /(?<!divisor) = "1(?:e3|E3|e19)"$/,
    reason:
      'A bare number with an exponent, as a quantity, is stored as the number that it is: how it was written is not kept.',
  },
];
