/** A test that failed, in the Test Anything Protocol. */
export const TAP = /^not ok \d+\b/;
