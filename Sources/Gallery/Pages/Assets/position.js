// Where a photo stands in a list: when it was taken, and behind the line the number in which it came.

// Above zero where the first is the later one.
export function compared(one, other) {
  const [moment, number] = one.split('_').map(Number);
  const [otherMoment, otherNumber] = other.split('_').map(Number);
  return moment - otherMoment || number - otherNumber;
}
