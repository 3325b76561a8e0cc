/** Something happened that must never happen. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
  readonly invariant: string;
  constructor(invariant: string, detail: string) {
    super(`${invariant}: ${detail}`);
    this.invariant = invariant;
  }
}
