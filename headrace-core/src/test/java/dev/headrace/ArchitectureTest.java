package dev.headrace;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.members;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.headrace.data.Log;
import dev.headrace.data.PartialFile;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The directions and names that {@code docs/inside/architecture.md} promises. */
final class ArchitectureTest {
  private static final JavaClasses CORE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.headrace");

  private static final String FACADE = "dev.headrace";
  private static final String DATA = "dev.headrace.data..";
  private static final String SPI = "dev.headrace.spi..";
  private static final String DEVICE = "dev.headrace.device..";
  private static final String OP = "dev.headrace.op..";
  private static final String LINT = "dev.headrace.profile.lint..";
  private static final String OPTIMIZE = "dev.headrace.optimize..";
  private static final String[] FUNCTIONS = {"dev.headrace.example..", "dev.headrace.text.."};
  private static final String[] ENGINE = {
    "dev.headrace.runtime..", "dev.headrace.tune..", "dev.headrace.profile.."
  };

  // A rule about no classes always holds: without this, a changed folder would switch all of it
  // off.
  @Test
  void classesAreLoaded() {
    assertThat(CORE).hasSizeGreaterThan(5);
    assertThat(CORE.containPackage("dev.headrace.data")).isTrue();
    assertThat(CORE.containPackage("dev.headrace.spi")).isTrue();
  }

  @Test
  void dataKnowsNothingOfHeadrace() {
    holds(
        noClasses()
            .that()
            .resideInAPackage(DATA)
            .should()
            .dependOnClassesThat(headraceOutside(DATA))
            .because("data is the bottom"));
  }

  @Test
  void spiKnowsDataOnly() {
    holds(
        noClasses()
            .that()
            .resideInAPackage(SPI)
            .should()
            .dependOnClassesThat(headraceOutside(SPI, DATA))
            .because("an operator author sees spi and data, and nothing behind them"));
  }

  @Test
  void devicesKnowDataAndSpiOnly() {
    holds(
        noClasses()
            .that()
            .resideInAPackage(DEVICE)
            .should()
            .dependOnClassesThat(headraceOutside(DEVICE, SPI, DATA))
            .because("a device is memory and copies, whoever asks for them"));
  }

  @Test
  void operatorsKnowDataSpiAndDevicesOnly() {
    holds(
        noClasses()
            .that()
            .resideInAPackage(OP)
            .should()
            .dependOnClassesThat(headraceOutside(OP, SPI, DATA, DEVICE))
            .because("operators know neither the engine nor the façade"));
  }

  @Test
  void operatorsDoNotKnowEachOther() {
    holds(
        classes()
            .that()
            .resideInAPackage(OP)
            .should(
                notDependOn(
                    "another operator",
                    dependency -> {
                      JavaClass target = outermost(dependency.getTargetClass());
                      return resideInAPackage(OP).test(target)
                          && target.getSimpleName().endsWith("Op")
                          && !target.equals(outermost(dependency.getOriginClass()));
                    }))
            .because("adding or changing an operator must touch no other one"));
  }

  @Test
  void operatorsAreRecords() {
    holds(
        classes()
            .that()
            .resideInAPackage(OP)
            .and()
            .haveSimpleNameEndingWith("Op")
            .should()
            .beRecords()
            .andShould()
            .implement("dev.headrace.spi.Op")
            .because("explain text, fingerprint, rewriting and wire form are derived from it"));
  }

  @Test
  void theEngineKnowsNoOperatorAndNoFacade() {
    holds(
        noClasses()
            .that()
            .resideInAnyPackage(ENGINE)
            .and()
            .resideOutsideOfPackage(LINT)
            .should()
            .dependOnClassesThat(resideInAnyPackage(OP, OPTIMIZE, FACADE))
            .because("the engine asks an operator's traits, and the façade holds the engine"));
  }

  @Test
  void rulesOfTheLinterKnowOperatorsAndNoEngine() {
    holds(
        noClasses()
            .that()
            .resideInAPackage(LINT)
            .should()
            .dependOnClassesThat(headraceOutside(LINT, OP, SPI, DATA, "dev.headrace.profile"))
            .because("a rule may be about an operator, and needs no run"));
  }

  @Test
  void theOptimizerKnowsOperatorsAndNoEngine() {
    holds(
        noClasses()
            .that()
            .resideInAPackage(OPTIMIZE)
            .should()
            .dependOnClassesThat(headraceOutside(OPTIMIZE, OP, SPI, DATA))
            .because("it turns a plan into a plan, and a rule may be about an operator"));
  }

  @Test
  void functionsForUsersKnowDataAndSpiOnly() {
    holds(
        noClasses()
            .that()
            .resideInAnyPackage(FUNCTIONS)
            .should()
            .dependOnClassesThat(headraceOutside(DATA, SPI, FUNCTIONS[0], FUNCTIONS[1]))
            .because("they are functions that any pipeline can use"));
  }

  @Test
  void publicNamesHaveNoGetPrefix() {
    holds(
        members()
            .that()
            .haveNameMatching("get[A-Z].*")
            .and(describe("are public or protected", ArchitectureTest::isVisible))
            .and(describe("are not declared by a type outside", m -> !isDeclaredOutside(m)))
            .should(fail("be named after what it is, as in shape()")));
  }

  @Test
  void classNamesSayWhatAThingIs() {
    holds(
        noClasses()
            .should()
            .haveNameMatching(".*(Manager|Helper|Utils?|Impl|Base|Processor)")
            .because("such a name tells nothing of what the class is"));
  }

  @Test
  void javaDeserialisationIsNotUsed() {
    holds(
        noClasses()
            .should()
            .dependOnClassesThat()
            .areAssignableTo(ObjectInputStream.class)
            .because("plans, checkpoints and caches are read as hostile input"));
  }

  @Test
  void loggersAreAskedForInOnePlace() {
    holds(
        noClasses()
            .that()
            .areNotAssignableTo(Log.class)
            .should()
            .callMethod(System.class, "getLogger", String.class)
            .because("text from outside must not reach a terminal with its control characters"));
  }

  @Test
  void filesAreWrittenInOnePlace() {
    holds(
        noClasses()
            .that()
            .areNotAssignableTo(PartialFile.class)
            .and()
            .doNotHaveSimpleName("SpillFolder") // which only its owner may look into
            .and()
            .resideOutsideOfPackage("dev.headrace.testing..")
            .should()
            .callMethodWhere(
                JavaCall.Predicates.target(
                        HasOwner.Predicates.With.owner(JavaClass.Predicates.type(Files.class)))
                    .and(
                        JavaCall.Predicates.target(
                            HasName.Predicates.nameMatching(
                                "write|writeString|newOutputStream|newBufferedWriter|move"))))
            .because("whatever has a name takes it when it is whole, and follows no link"));
  }

  private static void holds(ArchRule rule) {
    rule.allowEmptyShould(true).check(CORE);
  }

  private static DescribedPredicate<JavaClass> headraceOutside(String... packages) {
    return resideInAPackage("dev.headrace..")
        .and(DescribedPredicate.not(resideInAnyPackage(packages)));
  }

  private static JavaClass outermost(JavaClass type) {
    JavaClass outer = type.getBaseComponentType();
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().orElseThrow();
    }
    return outer;
  }

  /** Rules, findings and the model ask traits: an operator of somebody else has another name. */
  @Test
  void nothingDecidesByTheNameOfAnOperator() throws IOException {
    Pattern decides =
        Pattern.compile("word\\(\\)\\s*\\.(equals|startsWith|endsWith|contains|matches)");
    List<String> found = new ArrayList<>();
    int files = 0;
    for (String room : List.of("profile", "optimize", "tune", "runtime")) {
      try (Stream<Path> all = Files.walk(Path.of("src/main/java/dev/headrace", room))) {
        for (Path file : all.filter(path -> path.toString().endsWith(".java")).toList()) {
          files++;
          Matcher matcher = decides.matcher(Files.readString(file));
          while (matcher.find()) {
            found.add(file.getFileName() + ": " + matcher.group());
          }
        }
      }
    }
    assertThat(files).isGreaterThan(80);
    assertThat(found).isEmpty();
  }

  private static boolean isVisible(JavaMember member) {
    boolean ownerIsPublic = member.getOwner().getModifiers().contains(JavaModifier.PUBLIC);
    return ownerIsPublic
        && (member.getModifiers().contains(JavaModifier.PUBLIC)
            || member.getModifiers().contains(JavaModifier.PROTECTED));
  }

  /** Whether the name was chosen by someone else, as in {@code Throwable.getMessage}. */
  private static boolean isDeclaredOutside(JavaMember member) {
    return member instanceof JavaMethod method
        && (method.getOwner().getAllRawSuperclasses().stream().anyMatch(t -> declares(t, method))
            || method.getOwner().getAllRawInterfaces().stream().anyMatch(t -> declares(t, method)));
  }

  private static boolean declares(JavaClass type, JavaMethod method) {
    return !resideInAPackage("dev.headrace..").test(type)
        && type.getMethods().stream().anyMatch(m -> m.getName().equals(method.getName()));
  }

  private static ArchCondition<JavaMember> fail(String expectation) {
    return new ArchCondition<>(expectation) {
      @Override
      public void check(JavaMember member, ConditionEvents events) {
        events.add(SimpleConditionEvent.violated(member, member.getDescription()));
      }
    };
  }

  private static ArchCondition<JavaClass> notDependOn(
      String what, java.util.function.Predicate<Dependency> forbidden) {
    return new ArchCondition<>("not depend on " + what) {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        type.getDirectDependenciesFromSelf().stream()
            .filter(forbidden)
            .forEach(d -> events.add(SimpleConditionEvent.violated(d, d.getDescription())));
      }
    };
  }
}
