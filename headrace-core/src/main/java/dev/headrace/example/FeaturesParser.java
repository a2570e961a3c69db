package dev.headrace.example;

import dev.headrace.data.Tensor;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.PureFn;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** Parses serialised examples into {@link Features}. */
final class FeaturesParser implements PureFn<Tensor, Features>, FunctionIdentity.Named {
  private static final long serialVersionUID = 1;

  private final transient ExampleParser parser;

  FeaturesParser(ExampleParser parser) {
    this.parser = parser;
  }

  @Override
  public String functionName() {
    return "example" + parser.features();
  }

  @Override
  public Object identity() {
    return parser.features();
  }

  @Override
  public Features apply(Tensor serialised) {
    return features(parser.features(), parser.parse(serialised));
  }

  static Features features(List<Feature> features, Object[] values) {
    SequencedMap<String, Object> byName = LinkedHashMap.newLinkedHashMap(values.length);
    for (int i = 0; i < features.size(); i++) {
      byName.put(features.get(i).name(), values[i]);
    }
    return new Features(Collections.unmodifiableSequencedMap(byName));
  }
}
