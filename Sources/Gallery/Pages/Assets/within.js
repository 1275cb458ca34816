// A deadline for a request, which browsers of before 2022 do not have of their own.

export function within(milliseconds) {
  if (AbortSignal.timeout) return AbortSignal.timeout(milliseconds);
  const late = new AbortController();
  setTimeout(() => late.abort(new DOMException('It took too long.', 'TimeoutError')), milliseconds);
  return late.signal;
}
