/** IP addresses in text, as Go's `netip` reads them (no zone, no leading zeros). */
export function isIpv4Address(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

export function isIpv6Address(text: string): boolean {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const embedded = tail.includes('.');
  if (embedded && !isIpv4Address(tail)) return false;
  const plain = embedded ? `${text.slice(0, text.lastIndexOf(':') + 1)}0:0` : text;
  const halves = plain.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const fits = halves.length === 2 ? groups.length <= 7 : groups.length === 8;
  return fits && groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group));
}

export function isIpAddress(text: string): boolean {
  return isIpv4Address(text) || isIpv6Address(text);
}
