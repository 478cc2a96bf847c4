// What a person does in a session, counted, and how long that takes them by the keystroke-level model (Card, Moran and Newell, 1980): the
// time of hands and head, without the machine's. Retries of a test are not the person's, so each step says what it takes.

const KEY = 0.28; // seconds, of an average typist
const CLICK = 1.3; // with the way there
const THOUGHT = 1.35;

/** What a step takes: keys and chords, characters that are typed, clicks, and the times that something is read and decided. */
export interface Actions {
  keys?: number;
  text?: string;
  clicks?: number;
  thoughts?: number;
}

export class Person {
  private readonly steps: { name: string; seconds: number; actions: number }[] = [];

  did(name: string, { keys = 0, text = "", clicks = 0, thoughts = 1 }: Actions): void {
    const pressed = keys + [...text].length;
    const seconds = pressed * KEY + clicks * CLICK + thoughts * THOUGHT;
    this.steps.push({ name, seconds, actions: pressed + clicks });
  }

  get seconds(): number {
    return this.steps.reduce((sum, one) => sum + one.seconds, 0);
  }

  /** A table, for the log of measurements. */
  get table(): string {
    const rows = this.steps.map(
      ({ name, actions, seconds }) => `| ${name} | ${actions} | ${seconds.toFixed(1)} |`,
    );
    const all = this.steps.reduce((sum, one) => sum + one.actions, 0);
    return [
      "| step | keys, characters, clicks | s |",
      "|---|---|---|",
      ...rows,
      `| all | ${all} | ${this.seconds.toFixed(1)} |`,
    ].join("\n");
  }
}
