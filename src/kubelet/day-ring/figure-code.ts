/** Figures in two bytes, to within a thousandth: a day of them takes little space in memory and on disk. Pure. */

const MANTISSA = 2048;
const MAX_CODE = 65_535;

/** 0: no figure. @param figure at least 0; undefined: none */
export function figureCode(figure: number | undefined): number {
  if (figure === undefined || !Number.isFinite(figure) || figure < 0) return 0;
  const whole = Math.round(figure);
  if (whole < MANTISSA) return whole + 1;
  const exponent = Math.floor(Math.log2(whole / (MANTISSA / 2)));
  return Math.min(MAX_CODE, exponent * MANTISSA + Math.min(MANTISSA - 1, Math.round(whole / 2 ** exponent)) + 1);
}

export function figureOf(code: number): number | null {
  if (code === 0) return null;
  const exponent = Math.floor((code - 1) / MANTISSA);
  return ((code - 1) % MANTISSA) * 2 ** exponent;
}
