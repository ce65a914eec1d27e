export type Language = "ja" | "en";

/** Texts of one area of the application, side by side in both languages. */
export type Words<T> = Readonly<Record<Language, T>>;

/** The type check fails where English lacks a text, or takes other parameters. */
export const inBoth = <T,>(ja: T, en: NoInfer<T>): Words<T> => ({ ja, en });
