/** Finds the pods of a target, and autoscalers that have the same pods (upstream: validateAndParseSelector). */
import {
  matchesLabels,
  type ParsedLabelSelector,
  parseLabelSelector,
  type Pod,
  type Scale,
  SelectorError,
} from '../../api/index.ts';
import type { SelectorProblem } from './scaling-input.ts';

/** So many autoscalers of the same pods are named. */
const NAMED = 2;

/** The selectors that autoscalers had when they looked at their targets last, by the autoscaler's key. */
export class SelectorTracker {
  readonly #selectors = new Map<string, ParsedLabelSelector>();

  set(key: string, selector: ParsedLabelSelector): void {
    this.#selectors.set(key, selector);
  }

  forget(key: string): void {
    this.#selectors.delete(key);
  }

  /** Keys of autoscalers of a namespace that have one of its pods, sorted. */
  ofPods(namespace: string, pods: readonly Pod[]): readonly string[] {
    // Pods of one template have the same labels: each set is compared once.
    const sets = new Map(pods.map(({ metadata }) => [JSON.stringify(metadata?.labels), metadata?.labels]));
    const labels = [...sets.values()];
    return [...this.#selectors]
      .filter(
        ([key, selector]) => key.startsWith(`${namespace}/`) && labels.some((each) => matchesLabels(selector, each)),
      )
      .map(([key]) => key)
      .toSorted();
  }
}

export interface Selection {
  readonly pods: readonly Pod[];
  readonly problem?: SelectorProblem;
}

/** @param pods all of the autoscaler's namespace */
export function selectPods(tracker: SelectorTracker, key: string, scale: Scale, pods: readonly Pod[]): Selection {
  const text = scale.status?.selector ?? '';
  const refused = (event: string, condition: string, problem: string, message = problem): Selection => ({
    pods: [],
    problem: { event, condition, problem, message },
  });
  if (text === '')
    return refused(
      'SelectorRequired',
      'InvalidSelector',
      'selector is required',
      "the HPA target's scale is missing a selector",
    );
  let selector: ParsedLabelSelector;
  try {
    selector = parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const problem = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
    return refused('InvalidSelector', 'InvalidSelector', problem);
  }
  tracker.set(key, selector);
  const own = pods.filter(({ metadata }) => matchesLabels(selector, metadata?.labels));
  const keys = tracker.ofPods(key.split('/')[0] ?? '', own);
  if (keys.length <= 1) return { pods: own };
  const names = keys.slice(0, NAMED).map((each) => {
    const [namespace, name] = each.split('/');
    return `{${name} ${namespace}}`;
  });
  const problem = `pods by selector ${text} are controlled by more than one HPA (e.g. [${names.join(' ')}])`;
  return refused('AmbiguousSelector', 'AmbiguousSelector', problem);
}
