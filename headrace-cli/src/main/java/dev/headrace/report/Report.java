package dev.headrace.report;

import dev.headrace.data.PartialFile;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Treatment;
import dev.headrace.profile.Trial;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * A diagnosis as one HTML page that needs nothing else: no network, no other file, no JavaScript.
 *
 * <pre>{@code
 * Report.of(pipeline.diagnose()).title("flowers").writeTo(Path.of("report.html"));
 * }</pre>
 *
 * <p>Everything that comes from outside is escaped, and the page's own policy forbids any script
 * but the one it was written with.
 */
public final class Report {
  private final Diagnosis diagnosis;
  private final List<Trial> trials;
  private final boolean isShared;
  private final String title;
  private final Circumstances circumstances;

  private Report(
      Diagnosis diagnosis,
      List<Trial> trials,
      boolean isShared,
      String title,
      Circumstances circumstances) {
    this.diagnosis = diagnosis;
    this.trials = List.copyOf(trials);
    this.isShared = isShared;
    this.title = title;
    this.circumstances = circumstances;
  }

  /** A report on a run of this process. */
  public static Report of(Diagnosis diagnosis) {
    return new Report(diagnosis, List.of(), false, "Headrace report", Circumstances.here());
  }

  /** With changes that were made and measured, in the order in which they were made. */
  public Report trials(List<Trial> newTrials) {
    return new Report(diagnosis, newTrials, isShared, title, circumstances);
  }

  /**
   * Whether the page is to be shown to others: then home folders, the names of user and machine,
   * and what URLs carry besides their place are left out everywhere in it.
   */
  public Report share(boolean newIsShared) {
    return new Report(diagnosis, trials, newIsShared, title, circumstances);
  }

  /** With a title; {@code Headrace report} if none is set. */
  public Report title(String newTitle) {
    return new Report(diagnosis, trials, isShared, newTitle, circumstances);
  }

  /** With the command that ran, as the user typed it; what started this JVM if none is set. */
  public Report command(String newCommand) {
    return circumstances(circumstances.withCommand(newCommand));
  }

  Report circumstances(Circumstances newCircumstances) {
    return new Report(diagnosis, trials, isShared, title, newCircumstances);
  }

  /** Writes the page; a reader of the file sees the old one or the new one, never a part. */
  public void writeTo(Path file) throws IOException {
    PartialFile.write(file, html().getBytes(StandardCharsets.UTF_8));
  }

  /** The page. */
  public String html() {
    return isShared ? html(Redaction.here()) : page();
  }

  String html(Redaction redaction) {
    return new Report(
            redaction.of(diagnosis),
            trials.stream().map(redaction::of).toList(),
            false,
            redaction.of(title),
            redaction.of(circumstances))
        .page();
  }

  private String page() {
    List<OpView> views = OpView.all(diagnosis.profile());
    Markup body =
        Markup.join(
            List.of(
                Headline.of(new Treatment(diagnosis, trials)),
                PipelineSection.of(diagnosis, views),
                TrialsSection.of(trials),
                DecisionsSection.of(diagnosis.decisions()),
                AdviceSection.of(diagnosis, trials),
                FindingsSection.of(diagnosis.findings()),
                CostSection.of(views),
                TimelineSection.of(diagnosis.profile(), views),
                OperatorTable.of(views),
                RunSection.of(diagnosis, circumstances),
                Glossary.text()));
    return Markup.of(
            PAGE,
            hash(PageStyle.CSS),
            hash(PageScript.CODE),
            title,
            new Markup(PageStyle.CSS),
            new Markup(PageStyle.PATTERNS),
            title,
            circumstances.date(),
            body,
            new Markup(PageScript.CODE))
        .text();
  }

  /** What the page's policy names its own style and script by. */
  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static final String PAGE =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
      style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\
      %3Cpath d='M1 5q3-3 7 0t7 0M1 9q3-3 7 0t7 0M1 13q3-3 7 0t7 0' fill='none' stroke='%230072B2' stroke-width='2'/%3E%3C/svg%3E">
      <title>{}</title>
      <style>{}</style>
      </head>
      <body>
      {}
      <header>
      <p class="brand"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M1 5q3-3 7 0t7 0M1 9q3-3 7 0t7 0M1 13q3-3 7 0t7 0"/></svg> headrace</p>
      <p class="name"><bdi>{}</bdi></p>
      <p class="date">{}</p>
      </header>
      <main>
      {}
      </main>
      <script>{}</script>
      </body>
      </html>
      """;
}
