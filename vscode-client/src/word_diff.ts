// What has changed between two texts, by words: what goes, what comes and what stays. Knows text alone.

export interface Part {
  kind: "same" | "removed" | "added";
  text: string;
}

/** So many pairs of words are compared at most; beyond, all between the first and the last difference has changed. */
const MOST_PAIRS = 250_000;

/** The parts of both texts, in order; where both differ, what goes comes first. Line breaks are words of their own. */
export function wordDiff(before: string, after: string): Part[] {
  const old = words(before);
  const now = words(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) {
    head++;
  }
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) {
    tail++;
  }
  const middle = aligned(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const same = (kept: string[]): Part => ({ kind: "same", text: kept.join("") });
  return joined([same(old.slice(0, head)), ...middle, same(old.slice(old.length - tail))]);
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}_]+|\n|[^\S\n]+|[^\p{L}\p{M}\p{N}_\s]/gu) ?? [];
}

/** By a longest common subsequence. */
function aligned(old: readonly string[], now: readonly string[]): Part[] {
  if (old.length * now.length > MOST_PAIRS) {
    return [
      { kind: "removed", text: old.join("") },
      { kind: "added", text: now.join("") },
    ];
  }
  const width = now.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const parts: Part[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      parts.push({ kind: "same", text: old[i++] ?? "" });
      j++;
    } else if (i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1))) {
      parts.push({ kind: "removed", text: old[i++] ?? "" });
    } else {
      parts.push({ kind: "added", text: now[j++] ?? "" });
    }
  }
  return parts;
}

/** Neighbours of a kind as one; a blank between two changes belongs to them. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  let removed = "";
  let added = "";
  const flush = (): void => {
    if (removed !== "") {
      result.push({ kind: "removed", text: removed });
    }
    if (added !== "") {
      result.push({ kind: "added", text: added });
    }
    removed = added = "";
  };
  const merged = parts.reduce<Part[]>((all, part) => {
    const last = all.at(-1);
    if (last?.kind === part.kind) {
      last.text += part.text;
    } else if (part.text !== "") {
      all.push({ ...part });
    }
    return all;
  }, []);
  merged.forEach((part, index) => {
    const between = index > 0 && index < merged.length - 1;
    if (part.kind === "removed") {
      removed += part.text;
    } else if (part.kind === "added") {
      added += part.text;
    } else if (between && /^[^\S\n]+$/.test(part.text) && removed !== "" && added !== "") {
      removed += part.text;
      added += part.text;
    } else {
      flush();
      result.push(part);
    }
  });
  flush();
  return result;
}
