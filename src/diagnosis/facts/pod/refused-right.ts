/** The type of a right that an API server refused a service account. */
export interface RefusedRight {
  readonly account: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  /** "pods", "pods/log" */
  readonly resource: string;
  /** "apps"; empty for the core group; absent: it is not known. */
  readonly group?: string;
  /** That of the object; absent: all, or it is not known. */
  readonly name?: string;
  /** Absent: for the whole cluster. */
  readonly namespace?: string;
  /** Only the address of the request tells it: another cause than a role is possible. */
  readonly isDerived?: true;
}
