/** Computes when a certificate has to be renewed. Pure. */
export interface Validity {
  /** Wall ms. */
  readonly from: number;
  readonly to: number;
}

/** Between 70 and 90 % of its life (upstream: client-go's certificate manager), so that a fleet does not come at once. */
export function renewalTime({ from, to }: Validity, random: number): number {
  return from + (to - from) * (0.7 + 0.2 * random);
}

export function isValidAt({ from, to }: Validity, wall: number): boolean {
  return from <= wall && wall < to;
}
