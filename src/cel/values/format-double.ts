/** Doubles as Go prints them with 'g' and the fewest digits that read back: what `string(1e21)` answers. Pure. */

export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const exponent = value === 0 ? 0 : Number(value.toExponential().split('e')[1]);
  if (exponent >= -4 && exponent < 21) return plain(value);
  const [mantissa = '', power = ''] = value.toExponential().split('e');
  const sign = power.startsWith('-') ? '-' : '+';
  return `${mantissa}e${sign}${power.replace(/^[+-]/, '').padStart(2, '0')}`;
}

function plain(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(10).replace(/0+$/, '') : text;
}
