/** The settings of admission plugins. */
export interface AdmissionSettings {
  /** `--default-not-ready-toleration-seconds`: how long pods stay on a node that is not Ready, unless they say so themselves. */
  readonly notReadyTolerationSeconds: number;
  /** `--default-unreachable-toleration-seconds`: the same for a node that is not heard of. */
  readonly unreachableTolerationSeconds: number;
  /** TaintNodesByCondition: nothing is scheduled to a new node before it is Ready. Needs the node lifecycle controller. */
  readonly taintNewNodes: boolean;
}

export const DEFAULT_ADMISSION: AdmissionSettings = {
  notReadyTolerationSeconds: 300,
  unreachableTolerationSeconds: 300,
  taintNewNodes: true,
};
