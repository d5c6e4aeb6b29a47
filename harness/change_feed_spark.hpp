// The Change Data Feed of Delta tables on a Spark target.
#pragma once

#include <memory>

#include "harness/change_feed.hpp"
#include "harness/spark_target.hpp"

namespace rowgate::harness {

// The target must outlive it.
std::unique_ptr<FeedEngine> feed_engine(SparkTarget& target);

}  // namespace rowgate::harness
